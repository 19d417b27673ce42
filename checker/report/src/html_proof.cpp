#include <fmt/format.h>

#include "escape.h"
#include "html_parts.h"
#include "wording.h"

namespace tenet::report {
namespace {

std::string invariants(const result::Proof& proof) {
  std::string out;
  for (const result::InvariantGroup& group : result::grouped(proof.invariants)) {
    out += fmt::format("<h4>{} <span class=\"dim\">{}</span></h4>\n<ul>\n", escape_markup(group.kind),
                       escape_markup(group.title));
    for (const std::string& statement : group.statements) {
      out += "<li><code>" + escape_markup(statement) + "</code></li>\n";
    }
    out += "</ul>\n";
  }
  return out;
}

std::string obligation_row(const result::ProofObligation& o, bool deterministic) {
  std::string out = fmt::format(
      "<tr><td>{}</td><td><code>{}</code><br><span class=\"dim\">{}</span></td><td class=\"{}\">{}</td>"
      "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
      escape_markup(o.kind), escape_markup(o.statement), escape_markup(o.part), o.discharged ? "good" : "open",
      o.discharged ? "discharged" : "open", escape_markup(o.solver), thousands(o.facts), thousands(o.rounds));
  if (!deterministic) {
    out += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td>", thousands(o.resources), duration(o.seconds));
  }
  return out + "</tr>\n";
}

/// One table, folded: what the proof rests on, or what was tried in vain.
std::string obligations(const result::Proof& proof, bool discharged, bool deterministic) {
  std::string rows;
  std::size_t count = 0;
  for (const result::ProofObligation& o : proof.obligations) {
    if (o.discharged != discharged) continue;
    ++count;
    rows += obligation_row(o, deterministic);
  }
  if (count == 0) return {};
  const std::string what = discharged ? counted(count, "obligation") + " discharged"
                                      : counted(count, "attempt") + " in vain, on which nothing rests";
  return fmt::format(
      "<details><summary>{}</summary>\n<table class=\"list\"><tr><th>kind</th><th>to show</th><th>answer</th>"
      "<th>solver</th><th>facts</th><th>rounds</th>{}</tr>\n{}</table></details>\n",
      what, deterministic ? "" : "<th>resources</th><th>time</th>", rows);
}

}  // namespace

std::string proof_section(const result::Proof& proof, bool deterministic) {
  std::string out = fmt::format("<section class=\"proof\">\n<h3>{}</h3>\n",
                                proof.proved() > 0 ? "Why it holds for any number of hosts" : "What was derived");
  out += fmt::format("<p>{}{}</p>\n", escape_markup(proof_summary(proof)),
                     deterministic ? "" : ", " + duration(proof.seconds) + from_cache(proof));
  if (!proof.reason.empty()) out += "<p class=\"open\">" + escape_markup(proof.reason) + "</p>\n";
  out += invariants(proof);
  out += obligations(proof, true, deterministic) + obligations(proof, false, deterministic);
  return out + "</section>\n";
}

}  // namespace tenet::report
