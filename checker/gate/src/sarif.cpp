#include "sarif.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tenet/report/report.h"

namespace tenet::gate {
namespace {

using Json = nlohmann::ordered_json;

/// Appends the entries of `from` that `known` does not have yet.
void unite(Json& into, const Json& from, std::set<std::string>& known) {
  for (const Json& each : from) {
    if (known.insert(each.dump()).second) into.push_back(each);
  }
}

}  // namespace

void SarifResults::add(const Compared& compared, Reaction reaction, const Unit& unit, const result::FileResult* head) {
  if (reaction == Reaction::ignore) return;
  const Item& item = compared.item;
  result::Finding finding;
  if (compared.finding != nullptr) finding = *compared.finding;
  finding.rule = name(item.change);
  finding.level = reaction == Reaction::fail ? result::Level::failure : result::Level::warning;
  // Code scanning services show no open questions; what fails a gate must be seen.
  finding.verdict.reset();
  finding.subject = item.subject;
  finding.subject_kind = item.subject_kind;
  finding.message = std::string(name(item.change)) + ": " + item.message;
  finding.span = compared.span;
  if (finding.rule.empty() || run_.files.empty() || run_.files.back().source->path() != item.path) {
    result::FileResult file;
    if (head != nullptr) {
      file.source = head->source;
      file.trace_source = head->trace_source;
    } else {
      file.source = (unit.head.file != nullptr ? unit.head : unit.base).file->source;
    }
    run_.files.push_back(std::move(file));
  }
  run_.files.back().findings.push_back(std::move(finding));
}

std::string SarifResults::text(const std::string& version) const {
  result::RunResult run = run_;
  run.command = "gate";
  run.version = version;
  return report::sarif(run, {});
}

std::string joined_sarif(const std::vector<std::string>& texts, int status, bool successful) {
  Json joined;
  std::set<std::string> rules;
  std::set<std::string> artifacts;
  for (const std::string& text : texts) {
    Json log = Json::parse(text, nullptr, false);
    if (log.is_discarded() || !log.contains("runs") || log["runs"].empty()) continue;
    Json& run = log["runs"][0];
    if (!run.contains("results") || !run.contains("artifacts") || !run.contains("tool")) continue;
    if (joined.is_null()) {
      joined = log;
      for (const char* list : {"results", "artifacts"}) joined["runs"][0][list] = Json::array();
      joined["runs"][0]["tool"]["driver"]["rules"] = Json::array();
    }
    Json& into = joined["runs"][0];
    for (Json& each : run["results"]) into["results"].push_back(std::move(each));
    unite(into["artifacts"], run["artifacts"], artifacts);
    unite(into["tool"]["driver"]["rules"], run["tool"]["driver"]["rules"], rules);
  }
  if (joined.is_null()) return "";
  joined["runs"][0]["invocations"] = Json::array({{{"executionSuccessful", successful}, {"exitCode", status}}});
  return joined.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenet::gate
