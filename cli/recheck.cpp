#include "tenet/recheck/recheck.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "tenet/base/file.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kBadInput = 3;

/// The folder, if it is a certificate; those in it, if they are.
std::vector<std::string> certificates(const std::string& folder) {
  std::error_code error;
  if (fs::exists(fs::path(folder) / "manifest.json", error)) return {folder};
  std::vector<std::string> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (fs::exists(at->path() / "manifest.json", error)) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Of several: the first of 4, 3, 1, 2.
int worse(int a, int b) {
  for (const int status : {4, 3, 1, 2}) {
    if (a == status || b == status) return status;
  }
  return 0;
}

}  // namespace

int run_recheck(const RecheckArguments& arguments) {
  recheck::Options options;
  if (!arguments.source.empty()) {
    const auto text = read_file(arguments.source);
    if (!text || text->empty()) {
      complain_of(text ? "'" + arguments.source + "' is empty" : text.error().message);
      return kBadInput;
    }
    options.source = *text;
  }
  options.trust.insert(arguments.trust.begin(), arguments.trust.end());
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  StopFlag stop;
  const InterruptGuard guard(stop);
  options.stop = &stop;
  ProgressLine line(arguments.quiet);
  const std::vector<std::string> folders = certificates(arguments.folder);
  if (folders.empty()) {
    complain_of("no certificate in " + arguments.folder + ": there is no manifest.json");
    return kBadInput;
  }
  int status = 0;
  std::string text;
  for (const std::string& folder : folders) {
    options.progress = [&line, &folder](const std::string& what) { line.show({folder + ": " + what, {}}); };
    const auto report = recheck::recheck(folder, options);
    line.clear();
    if (report) {
      text += recheck::text(*report);
      status = worse(status, report->status());
    } else {
      complain_of(report.error().message);
      status = worse(status, exit_status(report.error().kind));
    }
  }
  work_is_done();
  const auto written = write_standard_output(text);
  if (written) return status;
  complain_of(written.error().message);
  return kBadInput;
}

}  // namespace tenet::cli
