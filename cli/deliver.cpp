#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "report_places.h"
#include "tenet/from_spec/derived.h"
#include "tenet/from_spec/generate.h"
#include "tenet/frontend/frontend.h"
#include "tenet/report/report.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

/// A finding with a trace, and the file it belongs to.
using Traced = std::pair<const result::FileResult*, const result::Finding*>;

/// The traces worth a file: of what is violated; if nothing is, the witnesses.
std::vector<Traced> traces(const result::RunResult& run) {
  std::vector<Traced> violated;
  std::vector<Traced> other;
  for (const auto& file : run.files) {
    for (const auto& finding : file.findings) {
      if (!finding.trace) continue;
      (finding.verdict == result::Verdict::violated ? violated : other).emplace_back(&file, &finding);
    }
  }
  return violated.empty() ? other : violated;
}

/// "trace.itf.json", then "trace.2.itf.json" …: the number goes before the
/// first dot of the file name.
std::string numbered(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  const std::size_t slash = path.find_last_of('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t dot = std::min(path.find('.', name + 1), path.size());
  return path.substr(0, dot) + "." + std::to_string(number) + path.substr(dot);
}

/// Every file that the command has read, or would have.
std::vector<std::string> inputs_of(const result::RunResult& run) {
  std::vector<std::string> paths;
  for (const auto& file : run.files) {
    paths.push_back(file.source->path());
    if (file.trace_source) paths.push_back(file.trace_source->path());
  }
  for (const auto& [path, reason] : run.skipped) paths.push_back(path);
  return paths;
}

class Delivery {
 public:
  Delivery(const result::RunResult& run, const OutputArguments& output)
      : run_(run), output_(output), places_(inputs_of(run)) {
    style_.deterministic = output.deterministic;
    style_.profile = output.profile;
  }

  int all() {
    const ReportFiles& files = output_.reports;
    if (!files.json.empty()) write(files.json, report::json(run_, style_));
    if (!files.sarif.empty()) write(files.sarif, report::sarif(run_, style_));
    if (!files.junit.empty()) write(files.junit, report::junit(run_, style_));
    if (!files.itf.empty()) itf(files.itf);
    if (!files.html.empty()) write(files.html, report::html(run_, style_));
    if (!files.properties.empty()) properties(files.properties);
    if (!output_.certificate.empty()) certificate(output_.certificate);
    text(files);
    const int status = result::exit_status(run_);
    return failed_ ? std::max(status, 3) : status;
  }

 private:
  void write(const std::string& path, const std::string& text) {
    if (const auto wrong = places_.take(path)) return fail(*wrong);
    const auto written = write_file(path, text);
    if (!written) fail(written.error().message);
  }
  void fail(const std::string& message) {
    complain_of(message);
    failed_ = true;
  }

  void itf(const std::string& path) {
    const auto all = traces(run_);
    if (all.empty()) return write(path, report::itf_without_trace());
    const std::size_t count = path == "-" ? 1 : all.size();
    for (std::size_t i = 0; i < count; ++i) write(numbered(path, i + 1), report::itf(*all[i].first, *all[i].second));
  }

  void properties(const std::string& path) {
    for (const result::FileResult& file : run_.files) {
      const auto protocol = file.proof ? frontend::load_protocol(*file.source).protocol : std::nullopt;
      if (!protocol) continue;
      std::vector<from_spec::Derived> facts;
      for (const auto& [kind, statement] : file.proof->invariants) {
        if (kind != result::kDelivery) facts.push_back({kind, statement});
      }
      return write(path, from_spec::write_derived(protocol->name, from_spec::stamp(*protocol), facts));
    }
    fail("there is nothing derived to keep in '" + path + "'");
  }

  void certificate(const std::string& folder) {
    const auto files = report::certificate(run_);
    if (files.empty()) return fail("there is no proof to keep in '" + folder + "'");
    for (const report::CertificateFile& file : files) {
      const std::filesystem::path path = std::filesystem::path(folder) / file.path;
      std::error_code error;
      std::filesystem::create_directories(path.parent_path(), error);
      if (error) return fail("cannot make the folder '" + path.parent_path().string() + "': " + error.message());
      const auto written = write_file(path.string(), file.text);
      if (!written) return fail(written.error().message);
    }
  }

  /// Standard output is for one reader: the text gives way to a report there,
  /// but errors in the input are always said.
  void text(const ReportFiles& files) {
    report::Style style = style_;
    style.quiet = output_.quiet;
    const auto all = {files.json, files.sarif, files.junit, files.itf, files.html, files.properties};
    if (std::find(all.begin(), all.end(), "-") == all.end()) {
      style.colour = use_colour(output_.colour, STDOUT_FILENO);
      return write("-", report::text(run_, style));
    }
    if (result::exit_status(run_) < 3) return;
    style.colour = use_colour(output_.colour, STDERR_FILENO);
    style.quiet = true;
    complain(report::text(run_, style));
  }

  const result::RunResult& run_;
  const OutputArguments& output_;
  ReportPlaces places_;
  report::Style style_;
  bool failed_ = false;
};

}  // namespace

int deliver(const result::RunResult& run, const OutputArguments& output) {
  work_is_done();
  return Delivery(run, output).all();
}

}  // namespace tenet::cli
