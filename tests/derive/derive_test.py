"""`tenet derive` on suites of two shapes: what is derived, what follows when tests change, and what bad input gets."""

import pathlib
import tempfile
import unittest

from harness import ROOT, TENET, System, definitions, must, run

STORE = ROOT / "examples" / "derive" / "small_store"
BROKER = ROOT / "tests" / "derive" / "broker"


def store(folder, edit=None):
    return System(folder, STORE, "store.cc", "store_test.cc", "store.toml", edit)


class Derive(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tenet-derive-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_example(self):
        """The definitions that the example ships are what its tests say; deriving again gives the same bytes."""
        system = store(self.folder)
        found, report = system.derive()
        self.assertEqual((self.folder / "checkers").read_text(), (STORE / "store.checkers").read_text())
        self.assertIn("covered      13 of 13 assertions", report)
        again, _ = system.infer()
        self.assertEqual(found, again)

    def test_without_its_tests_a_checker_disappears(self):
        """Only one test removes keys. Without it nothing is known of removed keys, and all else stays."""
        def edit(name, text):
            if name != "store_test.cc":
                return text
            begin, end = text.index("TEST_F(StoreTest, RemovedKeysAreGone)"), text.index("TEST_F(StoreTest, CountersAddUp)")
            return text[:begin] + text[end:]

        shipped = definitions((STORE / "store.checkers").read_text())
        found, _ = store(self.folder, edit).derive()
        self.assertEqual(set(shipped) - set(found), {"get_after_remove", "contains_after_remove"})
        for name in found:
            self.assertEqual(found[name]["says"], shipped[name]["says"])

    def test_another_promise_makes_another_checker(self):
        """A store whose first value stays, and whose tests say so."""
        def edit(name, text):
            if name == "store.cc":
                return text.replace("  Cell& cell = cells_[key];\n  cell.value = value;\n",
                                    "  if (cells_.count(key) != 0 && !cells_[key].removed) return Code::ok;\n"
                                    "  Cell& cell = cells_[key];\n  cell.value = value;\n")
            if name == "store_test.cc":
                begin, end = text.index("TEST_F(StoreTest, RemovedKeysAreGone)"), text.index("TEST_F(StoreTest, CountersAddUp)")
                return (text[:begin] + text[end:]).replace('EXPECT_EQ("green", Get("apple"))', 'EXPECT_EQ("red", Get("apple"))')
            return text

        found, _ = store(self.folder, edit).derive()
        self.assertNotIn("get_after_put", found)
        self.assertEqual(found["get_keeps_first_put"]["says"],
                         ["given first change is put", "when get", "then outcome = ok", "then value = its value"])

    def test_validation(self):
        """Definitions that the tests support pass; one that a test contradicts is named with it."""
        system = store(self.folder)
        system.derive()
        out = self.folder

        def validate(path, *more):
            return run([TENET, "derive", "validate", path, out / "suite.json", "-m", system.model, "-r",
                        f"{out}/recorder={out}/recording", *more])

        done = validate(out / "checkers")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("covered      13 of 13 assertions", done.stdout)
        wrong = out / "wrong.checkers"
        wrong.write_text((out / "checkers").read_text().replace("outcome = not_found", "outcome = invalid", 1))
        done = validate(wrong)
        self.assertEqual(done.returncode, 1)
        self.assertIn("dropped  get_after_remove: contradicted 1 times, by StoreTest.RemovedKeysAreGone", done.stdout)
        done = validate(out / "checkers", "--soak", "test 1 -ne", "--seeds", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("soak         2 runs: 1 with an alarm, 0 that could not say", done.stdout)

    def test_another_shape(self):
        """Queues, locks and sequences: relations that a store has not."""
        found, report = System(self.folder, BROKER, "broker.cc", "broker_test.cc", "broker.toml").derive()
        says = {name: checker["says"] for name, checker in found.items()}
        self.assertEqual(says["pop_oldest"], ["given queue holds something", "when pop", "then value = its value"])
        self.assertEqual(says["pop_of_empty"], ["given queue is empty", "when pop", "then some = 0"])
        self.assertEqual(says["size_is_tally"], ["given tally of + push - pop", "when size", "then value = the tally"])
        self.assertEqual(says["try_lock_after_try_lock"], ["given last change is try_lock", "when try_lock", "then granted = 0"])
        self.assertEqual(says["unlock_after_try_lock_of_other"],
                         ["given last change is try_lock with another value", "when unlock", "then released = 0"])
        self.assertEqual(says["next_is_tally"], ["given tally of + next + value of skip", "when next", "then value = the tally"])
        self.assertIn("covered      30 of 30 assertions", report)

    def test_what_is_no_promise_is_said(self):
        """An inequality, a test without assertions and a look at something else give no checker, and are listed."""
        def edit(name, text):
            if name != "store_test.cc":
                return text
            return text.replace("TEST_F(StoreTest, InvalidKey)",
                                "TEST_F(StoreTest, Nothing) { store_.put(\"a\", \"b\"); }\n"
                                "TEST_F(StoreTest, More) {\n  store_.add(\"c\", 2);\n  EXPECT_GT(store_.count(\"c\"), 1);\n"
                                "  EXPECT_EQ(4, 2 + 2);\n}\n\nTEST_F(StoreTest, InvalidKey)")

        system = store(self.folder, edit)
        _, report = system.derive()
        self.assertIn("7 tests (1 without assertions)", system.extracted.stderr)
        self.assertRegex(report, r"1 it compares by GT, which promises no value\n +StoreTest.More store_test.cc:\d+")
        self.assertRegex(report, r"1 it depends on no operation of the model\n +StoreTest.More store_test.cc:\d+")

    def extract(self, system, *tests):
        return run([TENET, "derive", "extract", "-m", system.model, "-p", self.folder / "build", "-o", self.folder / "s", *tests])

    def test_bad_sources(self):
        system = store(self.folder)
        done = self.extract(system, self.folder / "missing.cc")
        self.assertEqual(done.returncode, 3)
        self.assertIn("missing.cc: no such file", done.stderr)
        # One that does not compile is told, and the rest is read.
        system.system.write_text("int x = ;\n")
        done = self.extract(system, system.system, system.tests)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"store.cc: does not compile: .*store.cc:1: expected expression")
        self.assertIn("5 tests", done.stderr)
        (self.folder / "build" / "compile_commands.json").unlink()
        done = self.extract(system, system.tests)
        self.assertEqual(done.returncode, 3)
        self.assertIn("has no compile_commands.json", done.stderr)

    def test_bad_models(self):
        system = store(self.folder)
        text = system.model.read_text()
        for change, said in [
            (('kind = "query", in = ["key"]', 'kind = "ask", in = ["key"]'), "store.toml:16: 'ask' is no kind of method"),
            (('"get(key, value)"', '"gett(key, value)"'), "store.toml:16: store::Store has no method gett; did you mean get"),
            (('"get(key, value)"', '"get(key)"'), "store.toml:16: store::Store::get has 2 parameters, and is not static"),
            (("value = \"*value\"", "value = \"*colour\""), "an expression does not fit the headers"),
            (("system  = \"store\"", "system  = 3"), "store.toml:2: system is a string"),
            (("[class.\"store::Store\"]", "[class.\"store::Shop\"]"), "the headers have no class store::Shop"),
            (("[class", "[[class"), "store.toml:"),
        ]:
            with self.subTest(said):
                self.assertIn(change[0], text)
                system.model.write_text(text.replace(*change, 1))
                done = run([TENET, "derive", "model", "--check", system.model, "-p", self.folder / "build"])
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(said, done.stderr)

    def test_draft(self):
        """A draft lists the public methods, promises nothing about them, and is a model."""
        draft = must([TENET, "derive", "model", STORE / "store.h"]).stdout
        self.assertIn('"get(key, value)" = { kind = "ignore" }', draft)
        path = self.folder / "draft.toml"
        path.write_text(draft)
        must([TENET, "derive", "model", "--check", path, f"--flag=-I{STORE}"])

    def test_bad_definitions(self):
        text = (STORE / "store.checkers").read_text()
        path = self.folder / "edited.checkers"
        for change, said in [
            (("when    get\n", "when    gett\n"), "'gett' is no operation of the model; did you mean get"),
            (("outcome = ok", "outcome = fine"), "'fine' is no outcome of the model"),
            (("given   last change is put", "given   the wind is up"), "a given is 'last change is OP'"),
            (("system store", "system shop"), "these are checkers of shop, the model is of store"),
            (("checker get_after_remove", "checker get_after_put"), "two checkers are called get_after_put"),
        ]:
            with self.subTest(said):
                self.assertIn(change[0], text)
                path.write_text(text.replace(*change, 1))
                done = run([TENET, "derive", "generate", path, "-m", STORE / "store.toml", "-o", self.folder / "out"])
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr, r"edited.checkers:\d+: ")
                self.assertIn(said, done.stderr)

    def test_recordings_that_are_none(self):
        system = store(self.folder)
        must([TENET, "derive", "extract", "-m", system.model, "-p", self.folder / "build", "-o", self.folder / "suite.json", system.tests])
        for text, said in [(None, "cannot be read"), ("", "holds no test"), ("{}\nnonsense\n", "holds no test")]:
            recording = self.folder / "r"
            if text is not None:
                recording.write_text(text)
            done = run([TENET, "derive", "infer", "-m", system.model, self.folder / "suite.json", "-r", f"{TENET}={recording}", "-o", "-"])
            self.assertEqual(done.returncode, 3)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
