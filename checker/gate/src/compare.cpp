#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "strength.h"

namespace tenet::gate {
namespace {

using result::FileResult;
using result::Finding;
using result::Verdict;

constexpr std::string_view kAbsent = "absent";

/// How much an answer says: the more the better. What is asked differently
/// (a witness, a refutation, a proof) is as good as can be.
int rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
    case Verdict::reached:
    case Verdict::refuted:
      return 3;
    case Verdict::holds_bounded:
      return 2;
    case Verdict::unknown:
    case Verdict::unsupported:
    case Verdict::internal_error:
      return 1;
    case Verdict::violated:
      return 0;
  }
  return 1;
}

bool is_open(Verdict verdict) { return rank(verdict) == 1; }

/// What an answer is about. Findings about the protocol itself (a step that
/// never happens) are questions of their own.
using Question = std::tuple<std::string, std::string, std::string>;

Question question(const Finding& finding) {
  const bool side = finding.rule == "vacuous" || finding.rule == "never-enabled" || finding.subject_kind == "step";
  return {finding.subject_kind, finding.subject, side ? finding.rule : ""};
}

/// The worst answer to each question.
std::map<Question, const Finding*> by_question(const FileResult* file) {
  std::map<Question, const Finding*> found;
  if (file == nullptr) return found;
  for (const Finding& finding : file->findings) {
    if (!finding.verdict || finding.subject_kind == "mutant") continue;
    const Finding*& kept = found[question(finding)];
    if (kept == nullptr || rank(*finding.verdict) < rank(*kept->verdict)) kept = &finding;
  }
  return found;
}

class Comparison {
 public:
  Comparison(const Unit& unit, const FileResult* base, const FileResult* head)
      : unit_(unit), before_(by_question(base)), after_(by_question(head)) {}

  std::vector<Compared> all() {
    if (unit_.head.file == nullptr) {
      gone();
      return std::move(out_);
    }
    for (const auto& [question, finding] : after_) answer(question, *finding);
    if (unit_.base.file != nullptr) claims();
    return std::move(out_);
  }

 private:
  void gone() {
    if (unit_.kind == frontend::FileKind::variant) {
      lose({"variant", unit_.base.name, fmt::format("variant {} is gone", unit_.base.name), {}});
      return;
    }
    const ir::Protocol& protocol = *unit_.base.file->protocol;
    lose({"protocol",
          protocol.name,
          fmt::format("protocol {} is gone, with {} properties", protocol.name, protocol.properties.size()),
          {}});
  }

  void answer(const Question& question, const Finding& finding) {
    const auto at = before_.find(question);
    const Finding* before = at == before_.end() ? nullptr : at->second;
    const Verdict now = *finding.verdict;
    const int was = before != nullptr ? rank(*before->verdict) : -1;
    if (now == Verdict::violated) {
      add(was == 0 ? Change::still_violated : Change::newly_violated, finding, before);
    } else if (is_open(now) && finding.subject_kind == "variant") {
      add(before != nullptr && was < 3 ? Change::still_unknown : Change::variant_survived, finding, before);
    } else if (is_open(now)) {
      add(was == 1 || was == 0 ? Change::still_unknown : Change::newly_unknown, finding, before);
    } else if (now == Verdict::holds_bounded) {
      add(Change::only_bounded, finding, before);
    }
    if (before != nullptr && *before->verdict == Verdict::proved && rank(now) < 3 && now != Verdict::violated) {
      add(Change::proof_lost, finding, before);
    }
  }

  void claims() {
    if (unit_.kind == frontend::FileKind::variant) {
      if (unit_.edits_another) {
        lose({"variant", unit_.base.name,
              fmt::format("variant {} edited the protocol in {}, and edits that in {} now", unit_.base.name,
                          unit_.base.protocol->path(), unit_.head.protocol->path()),
              unit_.head.variant->expected_span});
      }
      frontend::LoadedVariant old = frontend::load_variant(*unit_.base.file->source, *unit_.head.protocol);
      const bool fits = old.variant && !old.diagnostics.has_errors();
      for (const Lost& lost : lost_claims(*unit_.base.variant, *unit_.head.variant, fits)) lose(lost);
      return;
    }
    const ir::Protocol& base = *unit_.base.file->protocol;
    const ir::Protocol& head = *unit_.head.file->protocol;
    for (const Lost& lost : lost_claims(base, head)) {
      if (!lost.bounded || rests_on_instances()) lose(lost);
    }
    for (const Lost& added : added_assumptions(base, head)) add(Change::assumption_added, added);
  }

  /// Something is said only about the finite instances.
  [[nodiscard]] bool rests_on_instances() const {
    return std::any_of(after_.begin(), after_.end(), [](const auto& each) {
      return *each.second->verdict != Verdict::proved && *each.second->verdict != Verdict::violated;
    });
  }

  void lose(const Lost& lost) { add(Change::proof_lost, lost); }

  void add(Change change, const Lost& lost) {
    Compared compared;
    compared.span = lost.span;
    compared.item = item(change, lost.span);
    compared.item.subject_kind = lost.kind;
    compared.item.subject = lost.subject;
    compared.item.message = lost.message;
    compared.item.before = answer_about(before_, lost);
    compared.item.after = change == Change::assumption_added ? "" : answer_about(after_, lost);
    out_.push_back(std::move(compared));
  }

  void add(Change change, const Finding& finding, const Finding* before) {
    Compared compared;
    compared.span = finding.span;
    compared.finding = &finding;
    compared.item = item(change, finding.span);
    compared.item.subject_kind = finding.subject_kind;
    compared.item.subject = finding.subject;
    compared.item.message = finding.message;
    if (change == Change::proof_lost) {
      compared.item.message = fmt::format("{} {} was proved for any number of hosts, and is not now: {}",
                                          finding.subject_kind, finding.subject, finding.message);
    }
    compared.item.before = before != nullptr ? result::name(*before->verdict) : kAbsent;
    compared.item.after = result::name(*finding.verdict);
    out_.push_back(std::move(compared));
  }

  [[nodiscard]] Item item(Change change, Span span) const {
    Item made;
    made.change = change;
    made.path = unit_.path();
    if (unit_.head.file != nullptr && !span.empty()) {
      const LineColumn at = unit_.head.file->source->position(span.begin);
      made.line = at.line;
      made.column = at.column;
    }
    return made;
  }

  static std::string answer_about(const std::map<Question, const Finding*>& all, const Lost& lost) {
    const auto at = all.find({lost.kind, lost.subject, ""});
    return at == all.end() ? "" : std::string(result::name(*at->second->verdict));
  }

  const Unit& unit_;
  std::map<Question, const Finding*> before_, after_;
  std::vector<Compared> out_;
};

}  // namespace

std::vector<Compared> compare(const Unit& unit, const FileResult* base, const FileResult* head) {
  return Comparison(unit, base, head).all();
}

bool beyond_doubt(const FileResult& head) {
  return std::all_of(head.findings.begin(), head.findings.end(),
                     [](const Finding& finding) { return !finding.verdict || rank(*finding.verdict) == 3; });
}

Answers answers(const FileResult& file) {
  Answers result;
  for (const auto& [question, finding] : by_question(&file)) {
    ++result.asked;
    if (!is_open(*finding->verdict)) ++result.decided;
  }
  return result;
}

}  // namespace tenet::gate
