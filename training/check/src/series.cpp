#include "series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tenet::training {
namespace {

constexpr std::size_t kMostSeries = 1024;  // recorded
constexpr std::size_t kMostShown = 32;
constexpr std::size_t kMostPoints = 2000;

std::string_view root(std::string_view field) { return field.substr(0, field.find('.')); }

}  // namespace

void SeriesRecorder::Points::add(std::int64_t step, double value) {
  if (!points.empty() && points.back().first == step) {
    points.back().second = value;
    return;
  }
  if (pending++ % every != 0) return;
  points.emplace_back(step, value);
  if (points.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
  every *= 2;
}

SeriesRecorder::SeriesRecorder(Vocabulary& vocabulary, const std::vector<Invariant>& invariants)
    : vocabulary_(&vocabulary) {
  std::map<Symbol, std::set<Symbol>> fields;
  const auto want = [&](const std::string& type, const std::string& field) {
    if (type.empty() || field.empty()) return;
    auto& keys = fields[vocabulary.intern(type)];
    keys.insert(vocabulary.intern(field));
    keys.insert(vocabulary.intern(std::string(root(field)) + ".norm"));
  };
  for (const Invariant& i : invariants) {
    if (i.kind == SubjectKind::variable_type && i.relation != Relation::pair_equal) want(i.subject, i.field);
    if (i.relation == Relation::contains_change || i.relation == Relation::each_change) want(i.object, i.field);
    if (i.relation == Relation::each_step) functions_[vocabulary.intern(i.subject)] = true;
  }
  for (const auto& [type, keys] : fields) fields_by_type_[type].assign(keys.begin(), keys.end());
}

void SeriesRecorder::on_state(Process& process, Thread&, Variable& variable) {
  const auto found = fields_by_type_.find(variable.type);
  if (found == fields_by_type_.end()) return;
  for (const Symbol field : found->second) {
    Value value;
    if (!variable.get(field, value) || !value.is_number()) continue;
    const Key key{process.number, variable.name, field};
    if (series_.size() >= kMostSeries && !series_.contains(key)) continue;
    series_[key].add(process.step, value.number());
  }
}

void SeriesRecorder::on_scalar(Process& process, Symbol name, Value value) {
  const Key key{process.number, name, 0};
  if (!value.is_number() || (series_.size() >= kMostSeries && !series_.contains(key))) return;
  series_[key].add(process.step, value.number());
}

void SeriesRecorder::on_enter(Process& process, Thread&, Frame& frame) {
  if (functions_.contains(frame.function)) ++calls_[{process.number, frame.function}];
}

void SeriesRecorder::on_step(Process& process, std::int64_t) {
  for (auto& [place, calls] : calls_) {
    if (place.first != process.number) continue;
    if (process.step != kNoStep)
      series_[{process.number, place.second, 0}].add(process.step, static_cast<double>(calls));
    calls = 0;
  }
}

std::vector<Series> SeriesRecorder::of(const std::vector<Violation>& violations, const InvariantSet& set) const {
  std::vector<Series> out;
  std::set<Key> taken;
  const auto take = [&](const Key& key, const Points& points) {
    if (out.size() >= kMostShown || points.points.size() < 2 || !taken.insert(key).second) return;
    const auto& [process, name, field] = key;
    out.push_back({fmt::format("{}{}{}{}", vocabulary_->text(name), field == 0 ? "" : " ", vocabulary_->text(field),
                               process == 0 ? "" : fmt::format(" (process {})", process)),
                   points.points});
  };
  for (const Violation& violation : violations) {
    const Invariant& invariant = set.invariants[violation.invariant];
    const Symbol variable = vocabulary_->find(violation.variable);
    const Symbol function = vocabulary_->find(invariant.subject);
    for (const auto& [key, points] : series_) {
      const auto& [process, name, field] = key;
      const bool same_field = field != 0 && root(vocabulary_->text(field)) == root(invariant.field);
      if (variable != 0 && name == variable && same_field) take(key, points);
      if (invariant.relation == Relation::each_step && name == function && field == 0) take(key, points);
    }
  }
  for (const auto& [key, points] : series_) {
    if (std::get<2>(key) == 0 && !functions_.contains(std::get<1>(key))) take(key, points);
  }
  return out;
}

}  // namespace tenet::training
