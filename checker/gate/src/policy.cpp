#include "tenet/gate/policy.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <optional>

#include "tenet/base/diagnostic.h"

namespace tenet::gate {
namespace {

constexpr std::string_view kPaths = "paths";

std::optional<Reaction> reaction_named(std::string_view word) {
  for (const Reaction each : {Reaction::fail, Reaction::warn, Reaction::ignore}) {
    if (name(each) == word) return each;
  }
  return std::nullopt;
}

std::optional<Change> change_named(std::string_view word) {
  for (std::size_t i = 0; i < kChangeCount; ++i) {
    if (name(static_cast<Change>(i)) == word) return static_cast<Change>(i);
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string where) : where_(std::move(where)) {}

  Result<Policy> read(const toml::table& document) {
    const toml::node* gate = document.get("gate");
    if (gate == nullptr) return Policy{};
    if (!gate->is_table()) return wrong(*gate, "'gate' is no table: write [gate]");
    for (const auto& [key, value] : *gate->as_table()) {
      const std::string word(key.str());
      if (const auto done = word == kPaths ? paths(value) : reaction(word, value); !done) {
        return tl::make_unexpected(done.error());
      }
    }
    return policy_;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong(const toml::node& node, const std::string& message) const {
    return failure(ErrorKind::bad_input, fmt::format("{}:{}: {}", where_, node.source().begin.line, message));
  }

  Result<void> paths(const toml::node& value) {
    const toml::array* list = value.as_array();
    if (list == nullptr || list->empty())
      return wrong(value, "'paths' is a list of files and folders: [\"protocols\"]");
    for (const toml::node& each : *list) {
      const auto path = each.value<std::string>();
      if (!path || path->empty() || path->front() == '/' || path->find("..") != std::string::npos) {
        return wrong(each, "a path is text, relative to the root of the repository, and has no '..'");
      }
      std::string plain = path->starts_with("./") ? path->substr(2) : *path;
      while (!plain.empty() && plain.back() == '/') plain.pop_back();
      policy_.paths.push_back(plain == "." ? "" : plain);
    }
    return {};
  }

  Result<void> reaction(const std::string& key, const toml::node& value) {
    const auto change = change_named(key);
    if (!change) {
      std::vector<std::string> known{std::string(kPaths)};
      for (std::size_t i = 0; i < kChangeCount; ++i) known.emplace_back(name(static_cast<Change>(i)));
      const std::string closest = did_you_mean(key, known);
      return wrong(value, fmt::format("[gate] has no key '{}'", key) +
                              (closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest)));
    }
    const auto word = value.value<std::string>();
    const auto chosen = word ? reaction_named(*word) : std::nullopt;
    if (!chosen) return wrong(value, fmt::format("'{}' is \"fail\", \"warn\" or \"ignore\"", key));
    policy_.reactions[static_cast<std::size_t>(*change)] = *chosen;
    return {};
  }

  std::string where_;
  Policy policy_;
};

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::newly_violated:
      return "newly-violated";
    case Change::variant_survived:
      return "variant-survived";
    case Change::proof_lost:
      return "proof-lost";
    case Change::newly_unknown:
      return "newly-unknown";
    case Change::assumption_added:
      return "assumption-added";
    case Change::still_violated:
      return "still-violated";
    case Change::still_unknown:
      return "still-unknown";
    case Change::only_bounded:
      return "only-bounded";
  }
  return "newly-violated";
}

std::string_view name(Reaction reaction) {
  switch (reaction) {
    case Reaction::fail:
      return "fail";
    case Reaction::warn:
      return "warn";
    case Reaction::ignore:
      return "ignore";
  }
  return "fail";
}

bool Policy::covers(std::string_view path) const {
  return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& each) {
           return each.empty() || path == each || (path.starts_with(each) && path[each.size()] == '/');
         });
}

Result<Policy> read_policy(std::string_view text, const std::string& where) {
  try {
    return Reader(where).read(toml::parse(text, where));
  } catch (const toml::parse_error& error) {
    return failure(ErrorKind::bad_input,
                   fmt::format("{}:{}: {}", where, error.source().begin.line, error.description()));
  }
}

}  // namespace tenet::gate
