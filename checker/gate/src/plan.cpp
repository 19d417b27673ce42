#include "plan.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace tenet::gate {
namespace {

using frontend::FileKind;

/// The touched files of one tree, loaded.
struct Loaded {
  std::vector<Side> sides;
  std::vector<std::string> errors;
  std::set<std::string> unusable;  ///< paths
};

/// Whether the fault is in the file itself, and is not told with its protocol already.
bool own_fault(const Tree& tree, const TreeFile& file) {
  return file.kind != FileKind::variant || !file.base || tree.files()[*file.base].protocol;
}

Loaded load_touched(const Tree& tree, const Tree& other, const Policy& policy, std::size_t& untouched) {
  Loaded loaded;
  for (const TreeFile& file : tree.files()) {
    if (!policy.covers(file.path)) continue;
    const TreeFile* same = other.find(file.path);
    if (same != nullptr && same->id == file.id) {
      ++untouched;
      continue;
    }
    Side side{&file, "", std::nullopt, nullptr};
    if (file.kind == FileKind::variant) {
      auto variant = tree.variant(file);
      if (variant) {
        side.name = variant->name;
        side.variant = std::move(*variant);
        side.protocol = tree.files()[*file.base].source.get();
      } else if (own_fault(tree, file)) {
        loaded.errors.insert(loaded.errors.end(), variant.error().begin(), variant.error().end());
      }
      if (!side.variant) {
        loaded.unusable.insert(file.path);
        continue;
      }
    } else {
      loaded.errors.insert(loaded.errors.end(), file.errors.begin(), file.errors.end());
      if (!file.protocol) {
        loaded.unusable.insert(file.path);
        continue;
      }
      side.name = file.protocol->name;
    }
    loaded.sides.push_back(std::move(side));
  }
  return loaded;
}

/// Whether a variant edits something else than what became of the protocol that
/// it edited: a protocol stays in its file, or moves with its name and leaves none there.
bool edits_another(const Tree& base, const Tree& head, const Unit& unit) {
  if (unit.kind != FileKind::variant || unit.base.file == nullptr || unit.head.file == nullptr) return false;
  const TreeFile& was = base.files()[*unit.base.file->base];
  const TreeFile& is = head.files()[*unit.head.file->base];
  if (was.path == is.path) return false;
  const TreeFile* there = head.find(was.path);
  return (there != nullptr && there->kind == FileKind::protocol) || was.protocol->name != is.protocol->name;
}

class Matcher {
 public:
  Matcher(std::vector<Side> base, std::vector<Side> head) : base_(std::move(base)), head_(std::move(head)) {}

  std::vector<Unit> units() {
    // First what stayed where it was, then what moved.
    match([](const Side& was, const Side& is) {
      return was.file->path == is.file->path && (was.file->kind == FileKind::protocol || was.name == is.name);
    });
    match([](const Side& was, const Side& is) { return was.name == is.name; });
    for (Side& side : base_) {
      if (side.file != nullptr) add(std::move(side), Side{});
    }
    for (Side& side : head_) {
      if (side.file != nullptr) add(Side{}, std::move(side));
    }
    std::sort(units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.key() < b.key(); });
    return std::move(units_);
  }

 private:
  using Same = std::function<bool(const Side&, const Side&)>;

  /// Pairs what has exactly one partner on either side.
  void match(const Same& same) {
    const auto fits = [&](const Side& was, const Side& is) {
      return was.file != nullptr && is.file != nullptr && was.file->kind == is.file->kind && same(was, is);
    };
    std::vector<std::pair<Side*, Side*>> pairs;
    for (Side& was : base_) {
      Side* partner = nullptr;
      std::size_t partners = 0;
      for (Side& is : head_) {
        if (!fits(was, is)) continue;
        partner = &is;
        ++partners;
      }
      const auto rivals = partner == nullptr ? 0 : std::count_if(base_.begin(), base_.end(), [&](const Side& each) {
        return fits(each, *partner);
      });
      if (partners == 1 && rivals == 1) pairs.emplace_back(&was, partner);
    }
    for (const auto& [was, is] : pairs) {
      add(std::move(*was), std::move(*is));
      was->file = nullptr;
      is->file = nullptr;
    }
  }

  void add(Side was, Side is) {
    Unit unit;
    unit.kind = (is.file != nullptr ? is : was).file->kind;
    unit.base = std::move(was);
    unit.head = std::move(is);
    units_.push_back(std::move(unit));
  }

  std::vector<Side> base_, head_;
  std::vector<Unit> units_;
};

}  // namespace

std::string Unit::key() const {
  return path() + (kind == FileKind::variant ? " variant " : " protocol ") + name() +
         (head.file == nullptr ? " (gone)" : "");
}

Result<Plan> make_plan(const Tree& base, const Tree& head, const Policy& policy) {
  std::size_t untouched = 0;
  std::size_t ignored = 0;
  Loaded was = load_touched(base, head, policy, ignored);
  Loaded is = load_touched(head, base, policy, untouched);
  if (!was.errors.empty()) {
    std::string all = "the base cannot be compared with, it has errors itself";
    for (const std::string& each : was.errors) all += "\n  " + each;
    return failure(ErrorKind::bad_input, all);
  }
  // What is there but cannot be used is told as that, not as gone.
  was.sides.erase(std::remove_if(was.sides.begin(), was.sides.end(),
                                 [&](const Side& side) { return is.unusable.count(side.file->path) != 0; }),
                  was.sides.end());
  Plan plan;
  plan.units = Matcher(std::move(was.sides), std::move(is.sides)).units();
  for (Unit& unit : plan.units) unit.edits_another = edits_another(base, head, unit);
  plan.problems = std::move(is.errors);
  plan.untouched = untouched;
  return plan;
}

}  // namespace tenet::gate
