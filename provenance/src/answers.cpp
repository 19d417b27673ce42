#include "answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tenet::provenance {

namespace {

using Json = nlohmann::json;

/// Raised whenever the meaning of a question or the form of an answer changes.
constexpr int kLayout = 3;

std::string encode(const Answer& a) {
  Json uses = Json::array();
  for (const Use& use : a.uses) uses.push_back(Json::array({use.statement, use.earlier}));
  const Json json = Json::array({static_cast<int>(a.end), a.asked, a.reason, a.solver, a.rechecked, a.resources,
                                 a.seconds, a.facts, a.rounds, a.sources, std::move(uses), a.execution, a.unconfirmed});
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

std::optional<Answer> decode(const std::string& bytes) {
  try {
    const Json json = Json::from_cbor(bytes);
    const int end = json.at(0);
    if (end < 0 || end > static_cast<int>(ChaseEnd::unsupported)) return std::nullopt;
    Answer a;
    a.end = static_cast<ChaseEnd>(end);
    a.asked = json.at(1);
    a.reason = json.at(2);
    a.solver = json.at(3);
    a.rechecked = json.at(4);
    a.resources = json.at(5);
    a.seconds = json.at(6);
    a.facts = json.at(7);
    a.rounds = json.at(8);
    a.sources = json.at(9).get<std::map<std::string, std::size_t>>();
    for (const Json& use : json.at(10).get_ref<const Json::array_t&>()) a.uses.push_back({use.at(0), use.at(1)});
    a.execution = json.at(11).get<std::vector<std::string>>();
    a.unconfirmed = json.at(12);
    return a;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string version(const smt::SolverConfig& config) {
  const auto found = smt::probe(config);
  return (found ? *found : "no solver") + " " + smt::describe(config);
}

}  // namespace

std::string solvers(const ProveOptions& options) {
  const std::string first = version(Question::configuration(options));
  return options.recheck ? first + ", " + version(Question::second_configuration()) : first;
}

Answers::Answers(const ir::Protocol& protocol, const ProveOptions& options)
    : options_(options),
      store_(options.keep_queries ? nullptr : options.answers),  // queries are not kept
      slicer_(protocol, options.keep_queries) {
  if (store_ != nullptr) solvers_ = solvers(options);
}

/// Everything that the answer depends on.
std::string Answers::key(std::string_view kind, const Slice& slice, const Strategy& s) const {
  return fmt::format("layout {}\nsolvers {}\nquestion {}\nstrategy {} {} {} {} {} {} {} {} {} {} {}\n{}", kLayout,
                     solvers_, kind, s.generations, s.rounds, s.facts, s.one_state, s.one_step, s.forward, s.senders,
                     s.state_facts, s.hypotheses, s.at_events, s.seed, slice.text);
}

Answer Answers::in_words(Answer answer, const Slice& slice) {
  answer.reason = slice.readable(answer.reason);
  std::map<std::string, std::size_t> sources;
  for (const auto& [source, count] : answer.sources) sources[slice.readable(source)] += count;
  answer.sources = std::move(sources);
  for (Use& use : answer.uses) use.statement = slice.readable(use.statement);
  for (std::string& line : answer.execution) line = slice.readable(line);
  return answer;
}

Answer Answers::ask(std::string_view kind, const Subject& subject, const Strategy& strategy,
                    const std::vector<DerivedFact>& facts, const std::vector<Hypothesis>& hypotheses,
                    const Setup& setup) {
  static const std::vector<Hypothesis> kNone;
  Slice slice = slicer_.cut(subject, facts, strategy.hypotheses ? hypotheses : kNone);
  const std::string what = store_ != nullptr ? key(kind, slice, strategy) : std::string();
  if (store_ != nullptr) {
    const std::optional<std::string> bytes = store_->find(what);
    std::optional<Answer> known = bytes ? decode(*bytes) : std::nullopt;
    if (known) {
      known->from_store = !fresh_.contains(std::hash<std::string>()(what));
      return in_words(std::move(*known), slice);
    }
  }
  Question question(slice.protocol, slice.facts, slice.hypotheses, options_, strategy);
  Answer answer;
  if (!setup(question, slice.subject)) {
    answer.end = ChaseEnd::contradiction;
    answer.asked = false;
    return answer;
  }
  // What happened before is not in such a slice.
  if (subject.reach != Reach::history && (question.chase.explain || strategy.senders))
    throw std::logic_error("causes outside of a slice");
  answer = question.decide();
  if (options_.keep_queries && answer.end == ChaseEnd::contradiction) answer.query = question.text(slice);
  const bool stopped = options_.stop != nullptr && options_.stop->requested();
  if (store_ != nullptr && question.repeats() && !stopped) {
    fresh_.insert(std::hash<std::string>()(what));
    store_->keep(what, encode(answer));
  }
  return in_words(std::move(answer), slice);
}

}  // namespace tenet::provenance
