#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tenet/report/report.h"

namespace tenet::report {

namespace {

using Json = nlohmann::json;

void add_proof(const result::RunResult& run, const result::FileResult& file, const std::string& folder,
               std::vector<CertificateFile>& out) {
  const result::Proof& proof = *file.proof;
  Json manifest{{"format", "tenet certificate 3"}, {"tenet", run.version},        {"protocol", file.protocol},
                {"path", file.source->path()},     {"text", file.source->text()}, {"well_defined", proof.well_defined}};
  manifest["claims"] = Json::array();
  for (const auto& c : proof.claims) manifest["claims"].push_back({{"property", c.property}, {"proved", c.proved}});
  manifest["invariants"] = Json::array();
  for (const auto& i : proof.invariants)
    manifest["invariants"].push_back({{"kind", i.kind}, {"statement", i.statement}});
  manifest["obligations"] = Json::array();
  std::size_t number = 0;
  for (const auto& o : proof.obligations) {
    if (!o.discharged) continue;
    Json obligation{{"kind", o.kind}, {"statement", o.statement}, {"part", o.part}, {"solver", o.solver}};
    if (!o.query.empty()) {
      const std::string name = fmt::format("{:04}.smt2", ++number);
      obligation["file"] = name;
      obligation["expected"] = "unsat";
      out.push_back({folder + "/" + name, o.query});
    }
    if (!o.rechecked.empty()) obligation["rechecked"] = o.rechecked;
    obligation["uses"] = Json::array();
    for (const auto& use : o.uses) {
      obligation["uses"].push_back({{"statement", use.statement}, {"earlier", use.earlier}});
    }
    manifest["obligations"].push_back(std::move(obligation));
  }
  out.push_back({folder + "/manifest.json", manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"});
}

}  // namespace

std::vector<CertificateFile> certificate(const result::RunResult& run) {
  std::vector<CertificateFile> files;
  std::map<std::string, int> taken;
  for (const result::FileResult& file : run.files) {
    if (!file.proof) continue;
    const int times = ++taken[file.protocol];
    add_proof(run, file, times == 1 ? file.protocol : fmt::format("{}-{}", file.protocol, times), files);
  }
  return files;
}

}  // namespace tenet::report
