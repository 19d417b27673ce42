#include "situation.h"

#include <fmt/format.h>

#include "git.h"

namespace tenet::gate {
namespace {

constexpr const char* kPolicyFile = "tenet.toml";

/// A revision that is not there is most often one that was not cloned.
Error not_there(const Repository& repository, std::string message) {
  if (repository.shallow()) {
    message +=
        "; this is a shallow clone: fetch the whole history (fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab, "
        "git fetch --unshallow)";
  }
  return {ErrorKind::bad_input, std::move(message), {}, {}};
}

Result<void> find_commits(const Repository& repository, const Options& options, Stamp& stamp) {
  const auto base = repository.commit(options.base);
  if (!base) return tl::make_unexpected(not_there(repository, base.error().message));
  const auto head = repository.commit(options.head);
  if (!head) return tl::make_unexpected(not_there(repository, head.error().message));
  const auto merge_base = repository.merge_base(*base, *head);
  if (!merge_base) return tl::make_unexpected(merge_base.error());
  if (!*merge_base) {
    return tl::make_unexpected(not_there(
        repository, fmt::format("'{}' and '{}' have no common ancestor in this clone", options.base, options.head)));
  }
  stamp.base = *base;
  stamp.head = *head;
  stamp.merge_base = **merge_base;
  return {};
}

/// The policy in force is that of the base: a change cannot excuse itself.
Result<void> find_policy(const Repository& repository, Outcome& outcome) {
  const Stamp& stamp = outcome.stamp;
  const auto text = repository.file(stamp.base, kPolicyFile);
  if (!text) return tl::make_unexpected(text.error());
  outcome.stamp.policy = text->value_or("");
  auto policy = read_policy(outcome.stamp.policy, std::string("base:") + kPolicyFile);
  if (!policy) return tl::make_unexpected(policy.error());
  outcome.policy = std::move(*policy);

  const auto before = repository.file(stamp.merge_base, kPolicyFile);
  const auto after = repository.file(stamp.head, kPolicyFile);
  if (!before) return tl::make_unexpected(before.error());
  if (!after) return tl::make_unexpected(after.error());
  if (*before == *after) return {};
  outcome.notes.push_back(fmt::format("{} is changed; the policy in force is that of the base", kPolicyFile));
  const auto next = read_policy(after->value_or(""), kPolicyFile);
  if (!next) outcome.problems.push_back(next.error().message);
  return {};
}

}  // namespace

Result<std::unique_ptr<Situation>> situation(const Options& options) {
  const auto repository = Repository::open(options.repository);
  if (!repository) return tl::make_unexpected(repository.error());
  auto made = std::make_unique<Situation>();
  Outcome& outcome = made->outcome;
  outcome.shard = options.shard;
  outcome.stamp.version = options.verify.version;
  if (const auto found = find_commits(*repository, options, outcome.stamp); !found) {
    return tl::make_unexpected(found.error());
  }
  if (const auto found = find_policy(*repository, outcome); !found) return tl::make_unexpected(found.error());
  auto base = Tree::read(*repository, outcome.stamp.merge_base);
  if (!base) return tl::make_unexpected(base.error());
  made->base = std::move(*base);
  auto head = Tree::read(*repository, outcome.stamp.head);
  if (!head) return tl::make_unexpected(head.error());
  made->head = std::move(*head);
  auto plan = make_plan(made->base, made->head, outcome.policy);
  if (!plan) return tl::make_unexpected(plan.error());
  made->plan = std::move(*plan);
  outcome.untouched = made->plan.untouched;
  outcome.problems.insert(outcome.problems.end(), made->plan.problems.begin(), made->plan.problems.end());
  for (const Unit& unit : made->plan.units) outcome.stamp.units.push_back(unit.key());
  outcome.empty = made->plan.units.empty() && outcome.untouched == 0 && outcome.problems.empty();
  return made;
}

}  // namespace tenet::gate
