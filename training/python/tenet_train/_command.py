"""The command line: runs a job so that every Python process of it is collected."""

import argparse
import os
import sys

USAGE = 3  # exit status for wrong usage


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        print(f"tenet_train: error: {message}", file=sys.stderr)
        sys.exit(USAGE)


def environment(directory, selection=None, base=None):
    """The environment in which Python processes collect into `directory`."""
    package = os.path.dirname(os.path.abspath(__file__))
    result = dict(os.environ if base is None else base)
    paths = [os.path.join(package, "startup")]
    paths += [entry for entry in result.get("PYTHONPATH", "").split(os.pathsep) if entry and entry not in paths]
    result["PYTHONPATH"] = os.pathsep.join(paths)
    result["TENET_TRAIN_DIRECTORY"] = os.path.abspath(directory)
    if selection is not None:
        result["TENET_TRAIN_SELECTION"] = os.path.abspath(selection)
    else:
        result.pop("TENET_TRAIN_SELECTION", None)
    return result


def command_of(words):
    """The program to run: `train.py …` is run by this interpreter, anything else as it is."""
    if words[0].endswith(".py"):
        return [sys.executable, *words]
    if words[0] in ("-m", "-c"):
        return [sys.executable, *words]
    return list(words)


def main(arguments):
    parser = _Parser(prog="tenet_train", description="Record what a PyTorch job does.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    collect = commands.add_parser("collect", help="run a job and record it")
    collect.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the traces, created if needed")
    collect.add_argument("-s", "--selection", metavar="FILE", help="record only what this file asks for")
    collect.add_argument("job", nargs=argparse.REMAINDER, metavar="-- JOB", help="train.py ARGS… or any command")
    options = parser.parse_args(arguments)

    job = options.job[1:] if options.job[:1] == ["--"] else options.job
    if not job:
        collect.error("no job given")
    if options.selection is not None:
        from tenet_train import _selection

        try:
            _selection.load(options.selection)
        except (OSError, ValueError) as error:
            collect.error(f"{options.selection}: {error}")
    try:
        os.makedirs(options.output, exist_ok=True)
    except OSError as error:
        collect.error(str(error))

    command = command_of(job)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        # The job takes the place of this process: its exit status and its signals are its own.
        os.execvpe(command[0], command, environment(options.output, options.selection))
    except OSError as error:
        collect.error(f"{command[0]}: {error.strerror}")
