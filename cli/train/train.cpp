#include "train.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <new>

#include "collect.h"
#include "tenet/base/utf8.h"
#include "tenet/training/check.h"
#include "tenet/training/check_report.h"
#include "tenet/training/follow.h"
#include "tenet/training/infer.h"
#include "tenet/training/trace_tools.h"

namespace tenet::cli {
namespace {

using namespace tenet::training;  // this file is their client and nothing else

constexpr const char* kStatus =
    "Exit status: 0 all that was asked holds, 1 something is violated, 2 unknown or unsupported, 3 bad input or\n"
    "usage, 4 internal error; of 'collect', the job's own.";

StopFlag stop_flag;  // set by the signal handler

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void tell(std::string_view text) { fmt::print(stderr, "tenet: {}\n", printable_lines(text)); }

int status_of(const Error& error) {
  tell(error.message);
  return exit_status(error.kind);
}

bool write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    say(text);
    return true;
  }
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) tell(path + ": cannot be written");
  return static_cast<bool>(out);
}

// Of several statuses the first of 4, 3, 1, 2.
int worse(int a, int b) {
  constexpr std::array<int, 5> kOrder{0, 2, 1, 3, 4};
  const auto place = [&](int status) { return std::ranges::find(kOrder, status) - kOrder.begin(); };
  return place(a) >= place(b) ? a : b;
}

struct TraceWords {
  std::string path;
  CatOptions cat;
  std::string output;
  int level = 0;
};

template <typename Body>
int with_run(const std::string& path, Body body) {
  Vocabulary vocabulary;
  auto run = open_run(path, vocabulary);
  if (!run) return status_of(run.error());
  const int status = body(**run, vocabulary);
  for (const std::string& problem : (*run)->report().problems) tell(problem);
  return status;
}

void add_trace(CLI::App& train, int& status) {
  auto words = std::make_shared<TraceWords>();
  CLI::App* trace = train.add_subcommand("trace", "print, sum up or convert a trace");
  trace->require_subcommand(1);

  CLI::App* cat_word = trace->add_subcommand("cat", "print the records");
  cat_word->add_option("TRACE", words->path, "Folder or file of a run")->required();
  cat_word->add_flag("--json", words->cat.json, "One JSON object a line");
  cat_word->add_option("--limit", words->cat.limit, "Stop after so many records");
  cat_word->add_option("--only", words->cat.only, "Only records whose name contains this");
  cat_word->callback([words, &status] {
    status = with_run(words->path, [&](RecordSource& run, const Vocabulary& vocabulary) {
      cat(run, vocabulary, words->cat, say);
      return 0;
    });
  });

  CLI::App* stat = trace->add_subcommand("stat", "sum up what the trace holds");
  stat->add_option("TRACE", words->path, "Folder or file of a run")->required();
  stat->callback([words, &status] {
    Vocabulary vocabulary;
    auto run = open_run(words->path, vocabulary);
    if (!run) {
      status = status_of(run.error());
      return;
    }
    const TraceStatistics sums = statistics(**run, vocabulary);
    say(to_text(sums));
    status = sums.report.records > 0 ? 0 : 2;
  });

  CLI::App* convert_word = trace->add_subcommand("convert", "write the run in Tenet's binary format");
  convert_word->add_option("TRACE", words->path, "Folder or file of a run")->required();
  convert_word->add_option("-o,--output", words->output, "Prefix of the files to write")->required();
  convert_word->add_option("--level", words->level, "zstd level")->check(CLI::Range(1, 19));
  convert_word->callback([words, &status] {
    status = with_run(words->path, [&](RecordSource& run, const Vocabulary& vocabulary) {
      auto done = convert(run, vocabulary, words->output, words->level);
      if (!done) return status_of(done.error());
      for (const std::string& file : done->files) say(file + "\n");
      tell(fmt::format(
          "{} records, {} bytes ({:.1f} a record)", done->records, done->bytes,
          done->records == 0 ? 0.0 : static_cast<double>(done->bytes) / static_cast<double>(done->records)));
      return done->records > 0 ? 0 : 2;
    });
  });
}

struct InferWords {
  std::vector<std::string> traces;
  std::vector<std::string> others;
  std::string output;
  bool shard = false;
  bool quiet = false;
  InferOptions options;
};

void add_infer_options(CLI::App& word, InferWords& words) {
  word.add_option("-o,--output", words.output, "File to write (- for standard output)")->required();
  word.add_option("--min-support", words.options.min_support, "Positive examples an invariant needs")
      ->capture_default_str();
  word.add_option("--min-runs", words.options.min_runs, "Runs that an invariant needs, if so many are given")
      ->capture_default_str();
  word.add_option_function<std::string>(
          "--programs",
          [&words](const std::string& whose) {
            words.options.programs = whose == "one"    ? Programs::one
                                     : whose == "each" ? Programs::each
                                                       : Programs::recorded;
          },
          "What the runs are of: one program, each of another, or as recorded in them; of several programs, what they "
          "share is learned")
      ->check(CLI::IsMember({"recorded", "one", "each"}))
      ->default_str("recorded");
  word.add_option("--min-programs", words.options.min_programs,
                  "Programs that an invariant of several needs, if so many and fewer than 18 are given")
      ->capture_default_str();
  word.add_option("--min-habit-programs", words.options.min_habit_programs,
                  "The same for orders and numbers of calls, sizes, laws of the loop, and what has exceptions")
      ->capture_default_str();
  word.add_option("--slack", words.options.slack, "Factor by which learned intervals are widened")
      ->capture_default_str();
  word.add_flag("!--no-validate", words.options.validate, "Keep what fails on held-out runs");
  word.add_flag("-q,--quiet", words.quiet, "No progress");
}

int write_conclusion(const EvidenceSet& evidence, const InferWords& words) {
  for (const std::string& problem : evidence.problems) tell(problem);
  const Conclusion done = conclude(evidence, words.options);
  if (!write_file(words.output, print_invariants(done.invariants))) return 3;
  tell(fmt::format(
      "{} invariants from {} runs{} ({} hypotheses: {} without support, {} without a precondition, {} failed on "
      "held-out runs, {} implied by others)",
      done.invariants.invariants.size(), evidence.runs.size(),
      done.programs == 0 ? "" : fmt::format(" of {} programs, which share them", done.programs), done.hypotheses,
      done.unsupported, done.superficial, done.flaky, done.implied));
  return done.invariants.invariants.empty() ? 2 : 0;
}

void add_infer(CLI::App& train, int& status) {
  auto words = std::make_shared<InferWords>();
  CLI::App* infer = train.add_subcommand("infer", "learn invariants from traces of healthy runs");
  infer->add_option("TRACE", words->traces, "Folders or files, one a run")->required();
  infer->add_flag("--shard", words->shard, "Write the evidence only, for `merge`");
  infer->add_option("--with", words->others,
                    "With --shard: evidence of other shards, whose hypotheses are judged here too");
  infer->add_option("--threads", words->options.threads, "Runs read at the same time")->capture_default_str();
  add_infer_options(*infer, *words);
  infer->callback([words, &status] {
    std::signal(SIGINT, [](int) { stop_flag.request(); });
    words->options.stop = &stop_flag;
    for (const std::string& path : words->others) {
      auto other = load_evidence(path);
      if (!other) {
        status = status_of(other.error());
        return;
      }
      for (Hypothesis& hypothesis : other->hypotheses) words->options.others.push_back(std::move(hypothesis.claim));
    }
    if (!words->quiet) {
      words->options.progress = [](int pass, std::uint64_t records) {
        fmt::print(stderr, "\rpass {} of 2: {} records", pass, records);
      };
    }
    auto evidence = collect_evidence(words->traces, words->options);
    if (!words->quiet) fmt::print(stderr, "\n");
    if (!evidence) {
      status = status_of(evidence.error());
    } else if (words->shard) {
      for (const std::string& problem : evidence->problems) tell(problem);
      status = write_file(words->output, print_evidence(*evidence)) ? 0 : 3;
    } else {
      status = write_conclusion(*evidence, *words);
    }
  });

  auto merge_words = std::make_shared<InferWords>();
  CLI::App* merge_word = train.add_subcommand("merge", "learn from the evidence that `infer --shard` wrote");
  merge_word->add_option("EVIDENCE", merge_words->traces, "Evidence files")->required();
  add_infer_options(*merge_word, *merge_words);
  merge_word->callback([merge_words, &status] {
    EvidenceSet all;
    for (const std::string& path : merge_words->traces) {
      auto part = load_evidence(path);
      if (!part) {
        status = status_of(part.error());
        return;
      }
      all = merge(std::move(all), *part);
    }
    status = write_conclusion(all, *merge_words);
  });
}

struct CheckWords {
  std::vector<std::string> traces;
  std::vector<std::string> invariants;
  std::string json, html, tensorboard, stop_command;
  bool follow = false;
  double wait = 0;
  CheckOptions options;
  ReportOptions report;
};

Result<InvariantSet> load_all(const std::vector<std::string>& paths) {
  InvariantSet all;
  for (const std::string& path : paths) {
    auto set = load_invariants(path);
    if (!set) return set;
    all.runs = std::max(all.runs, set->runs);
    all.invariants.insert(all.invariants.end(), set->invariants.begin(), set->invariants.end());
    for (const std::string& problem : set->problems) all.problems.push_back(path + ": " + problem);
  }
  return all;
}

int check(const CheckWords& words) {
  auto set = load_all(words.invariants);
  if (!set) return status_of(set.error());
  CheckOptions options = words.options;
  if (words.follow) {
    options.on_violation = [&words](const Violation& violation) {
      fmt::print(stderr, "tenet: violated: {}\n", violation.message);
      if (!words.stop_command.empty() && std::system(words.stop_command.c_str()) != 0) tell("the stop command failed");
    };
  }
  std::vector<NamedResult> results;
  int status = 0;
  for (const std::string& path : words.traces) {
    auto result =
        words.follow ? follow_and_check(path, *set, options, words.wait, stop_flag) : check_run(path, *set, options);
    if (!result) {
      status = worse(status, status_of(result.error()));
      continue;
    }
    status = worse(status, exit_status(*result));
    if (!words.tensorboard.empty()) {
      if (auto written = write_tensorboard(*result, words.tensorboard); !written)
        status = worse(status, status_of(written.error()));
    }
    results.push_back({path, std::move(*result)});
  }
  if (words.json != "-") say(console_report(results, *set, words.report));
  if (!words.json.empty() && !write_file(words.json, json_report(results, *set))) status = worse(status, 3);
  if (!words.html.empty() && !write_file(words.html, html_report(results, *set))) status = worse(status, 3);
  return status;
}

void add_check(CLI::App& train, int& status) {
  auto words = std::make_shared<CheckWords>();
  CLI::App* word = train.add_subcommand("check", "check traces against invariants");
  word->add_option("TRACE", words->traces, "Folders or files, one a run")->required();
  // One file each time: what follows it is a trace.
  word->add_option("-i,--invariants", words->invariants, "Invariants file (repeatable)")
      ->required()
      ->allow_extra_args(false);
  word->add_option("--json", words->json, "Write the findings as JSON (- for standard output)");
  word->add_option("--html", words->html, "Write a page with timeline and plots");
  word->add_option("--tensorboard", words->tensorboard, "Folder for an event file that TensorBoard reads");
  word->add_option("--groups", words->report.groups, "Groups to show, 0 for all")->capture_default_str();
  word->add_flag("--all", words->report.all, "Show every violation of a group");
  word->add_flag("--raw-values", words->options.raw_values, "Findings may hold numbers of the job in full");
  word->add_flag("--follow", words->follow, "Check while the job writes; ends when the job closes its trace");
  word->add_option("--wait", words->wait, "With --follow: end after so many seconds without a record")
      ->capture_default_str();
  word->add_option("--stop-command", words->stop_command, "With --follow: run this at each first violation");
  word->callback([words, &status] {
    std::signal(SIGINT, [](int) { stop_flag.request(); });
    status = check(*words);
  });
}

void add_collect(CLI::App& train, int& status) {
  auto words = std::make_shared<CollectWords>();
  CLI::App* word = train.add_subcommand("collect", "run a PyTorch job and record what it does");
  word->add_option("-o,--output", words->output, "Folder for the traces, created if needed")->required();
  word->add_option("-s,--selection", words->selection, "Record only what these invariants need")
      ->check(CLI::ExistingFile);
  word->add_option("--python", words->python, "Interpreter of the job, if not the one the collector was built for");
  word->add_option("JOB", words->job, "After `--`: train.py ARGS… or any command")->required();
  word->callback([words, &status] { status = collect(*words); });
}

}  // namespace

int run_train(int count, const char* const* arguments) {
  CLI::App app("tenet train: learn invariants of healthy training jobs, and check other runs against them",
               "tenet train");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "what there is");
  app.footer(kStatus);
  int status = 0;
  add_collect(app, status);
  add_trace(app, status);
  add_infer(app, status);
  add_check(app, status);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 3;
  } catch (const std::bad_alloc&) {
    tell("out of memory");
    return 2;
  } catch (const std::exception& error) {
    tell(fmt::format("internal error: {}", error.what()));
    return 4;
  }
  return status;
}

}  // namespace tenet::cli
