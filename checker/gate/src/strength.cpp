#include "strength.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tenet/ir/instance.h"
#include "tenet/ir/printer.h"

namespace tenet::gate {
namespace {

using ir::ExprId;
using ir::Op;
using ir::Property;
using ir::Protocol;

void collect_definitions(const Protocol& protocol, ExprId id, std::set<std::string>& found) {
  if (!id.valid()) return;
  const ir::Expr& expr = protocol[id];
  if (expr.op == Op::global_const || expr.op == Op::host_const) {
    const ir::ConstDecl& constant = protocol.constants[expr.ref];
    if (constant.value.valid() &&
        found.insert(constant.name + " = " + ir::to_source(protocol, constant.value)).second) {
      collect_definitions(protocol, constant.value, found);
    }
  }
  for (const ExprId each : expr.args) collect_definitions(protocol, each, found);
}

/// The definitions of the constants in a formula, and of those in them.
std::set<std::string> definitions(const Protocol& protocol, ExprId formula) {
  std::set<std::string> found;
  collect_definitions(protocol, formula, found);
  return found;
}

/// Shows that a formula of one protocol implies one of another.
class Implication {
 public:
  Implication(const Protocol& base, const Protocol& head) : base_(base), head_(head) {}

  /// `is` (of the head) implies `was` (of the base), as far as structure shows.
  [[nodiscard]] bool forward(ExprId is, ExprId was) { return implies({head_, is}, {base_, was}); }

 private:
  struct Place {
    const Protocol& protocol;
    ExprId id;
    [[nodiscard]] const ir::Expr& expr() const { return protocol[id]; }
    [[nodiscard]] Place argument(std::size_t i) const { return {protocol, expr().args[i]}; }
    [[nodiscard]] std::size_t arguments() const { return expr().args.size(); }
  };

  bool implies(const Place& strong, const Place& weak) {
    // Arrows within arrows can be taken apart in very many orders.
    if (budget_ == 0) return false;
    --budget_;
    if (same(strong, weak)) return true;
    // What is on the left of the arrow may be taken apart, and what is on the right must be.
    if (weak.expr().op == Op::and_) return all_of(weak, [&](const Place& each) { return implies(strong, each); });
    if (strong.expr().op == Op::or_) return all_of(strong, [&](const Place& each) { return implies(each, weak); });
    if (strong.expr().op == Op::and_ && any_of(strong, [&](const Place& each) { return implies(each, weak); })) {
      return true;
    }
    if (weak.expr().op == Op::or_ && any_of(weak, [&](const Place& each) { return implies(strong, each); }))
      return true;
    // What is claimed at all is claimed under a hypothesis.
    if (weak.expr().op == Op::implies && implies(strong, weak.argument(1))) return true;
    if (strong.expr().op != weak.expr().op) return false;
    switch (strong.expr().op) {
      case Op::implies:
        return implies(weak.argument(0), strong.argument(0)) && implies(strong.argument(1), weak.argument(1));
      case Op::not_:
        return implies(weak.argument(0), strong.argument(0));
      case Op::forall:
      case Op::exists:
        return same_range(strong, weak) && implies(strong.argument(0), weak.argument(0));
      default:
        return false;
    }
  }

  template <class Test>
  static bool all_of(const Place& place, const Test& test) {
    for (std::size_t i = 0; i < place.arguments(); ++i) {
      if (!test(place.argument(i))) return false;
    }
    return true;
  }
  template <class Test>
  static bool any_of(const Place& place, const Test& test) {
    return !all_of(place, [&](const Place& each) { return !test(each); });
  }

  /// The same words, bound in the same way, and the same constants behind them.
  static bool same(const Place& a, const Place& b) {
    return ir::to_source(a.protocol, a.id) == ir::to_source(b.protocol, b.id) &&
           definitions(a.protocol, a.id) == definitions(b.protocol, b.id);
  }
  static bool same_range(const Place& a, const Place& b) {
    if (a.expr().binders.size() != b.expr().binders.size() || a.arguments() != b.arguments()) return false;
    for (std::size_t i = 0; i < a.expr().binders.size(); ++i) {
      const ir::LocalDecl& one = a.protocol[a.expr().binders[i]];
      const ir::LocalDecl& other = b.protocol[b.expr().binders[i]];
      if (one.name != other.name || ir::to_source(a.protocol, one.type) != ir::to_source(b.protocol, other.type)) {
        return false;
      }
    }
    return a.arguments() < 2 || same(a.argument(1), b.argument(1));
  }

  const Protocol& base_;
  const Protocol& head_;
  int budget_ = 20'000;
};

/// The declaration of that name; null if there is none.
template <class Decl>
const Decl* find_named(const std::vector<Decl>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Decl& each) { return each.name == name; });
  return at == all.end() ? nullptr : &*at;
}

const Property* named(const Protocol& protocol, const std::string& name) {
  return find_named(protocol.properties, name);
}

/// The new name of a property that says the same under one the base does not have.
std::string renamed(const Protocol& base, const Protocol& head, const Property& was) {
  for (const Property& is : head.properties) {
    if (is.kind == was.kind && named(base, is.name) == nullptr &&
        ir::to_source(head, is.formula) == ir::to_source(base, was.formula)) {
      return is.name;
    }
  }
  return "";
}

void lost_property(const Protocol& base, const Protocol& head, const Property& was, std::vector<Lost>& out) {
  const std::string kind(ir::property_word(was.kind));
  const Property* is = named(head, was.name);
  if (is == nullptr) {
    const std::string name = renamed(base, head, was);
    out.push_back({kind, was.name,
                   name.empty() ? fmt::format("{} {} is gone", kind, was.name)
                                : fmt::format("{} {} was renamed to {}", kind, was.name, name),
                   name.empty() ? Span{} : named(head, name)->span});
  } else if (is->kind != was.kind) {
    out.push_back(
        {kind, was.name, fmt::format("{} {} is a {} now", kind, was.name, ir::property_word(is->kind)), is->span});
  } else if (!Implication(base, head).forward(is->formula, was.formula)) {
    out.push_back({kind, was.name,
                   fmt::format("{} {} was changed, and is not shown to be at least as strong: it was '{}'", kind,
                               was.name, ir::to_source(base, was.formula)),
                   is->span});
  }
}

/// An instance of one protocol, with what its declaration leaves to defaults.
struct Sized {
  const Protocol& protocol;
  std::string name;
  std::vector<ir::InstanceEntry> entries;
  Span span;
  ir::Instance instance;
};

/// Those of a protocol that resolve; the default one if it declares none.
std::vector<Sized> instances(const Protocol& protocol) {
  std::vector<Sized> all;
  const auto add = [&](const ir::InstanceDecl* decl) {
    Diagnostics ignored;  // what does not resolve is told when it is verified
    auto instance = ir::Instance::resolve(protocol, decl, ignored);
    if (!instance) return;
    all.push_back({protocol, decl != nullptr ? decl->name : "default",
                   decl != nullptr ? decl->entries : std::vector<ir::InstanceEntry>{},
                   decl != nullptr ? decl->span : Span{}, std::move(*instance)});
  };
  for (const ir::InstanceDecl& decl : protocol.instances) add(&decl);
  if (protocol.instances.empty()) add(nullptr);
  return all;
}

bool contains(ir::Range large, ir::Range small) { return large.low <= small.low && large.high >= small.high; }

/// Every named thing of both is at least as large in `is`: sizes, ranges,
/// copies. Constants have the same values.
bool covers(const Sized& is, const Sized& was) {
  const auto sizes = [](const auto& now, const auto& then, const auto& size_now, const auto& size_then) {
    for (std::size_t i = 0; i < then.size(); ++i) {
      for (std::size_t j = 0; j < now.size(); ++j) {
        if (now[j].name == then[i].name && size_now(j) < size_then(i)) return false;
      }
    }
    return true;
  };
  const auto kept = [&](const std::string& slot) {
    return contains(is.instance.numbers(slot, ir::TypeKind::natural),
                    was.instance.numbers(slot, ir::TypeKind::natural)) &&
           contains(is.instance.numbers(slot, ir::TypeKind::integer),
                    was.instance.numbers(slot, ir::TypeKind::integer)) &&
           is.instance.constant(slot) == was.instance.constant(slot);
  };
  const auto all_kept = [&](const std::vector<ir::InstanceEntry>& entries) {
    return std::all_of(entries.begin(), entries.end(), [&](const ir::InstanceEntry& each) {
      // A constant that the base does not know had no value to keep.
      const auto& constants = was.protocol.constants;
      const bool constant = is.instance.constant(each.name).has_value();
      const bool known = std::any_of(constants.begin(), constants.end(),
                                     [&](const ir::ConstDecl& old) { return old.name == each.name; });
      return (constant && !known) || kept(each.name);
    });
  };
  return sizes(
             is.protocol.roles, was.protocol.roles, [&](std::size_t i) { return is.instance.hosts(ir::RoleId(i)); },
             [&](std::size_t i) { return was.instance.hosts(ir::RoleId(i)); }) &&
         sizes(
             is.protocol.sorts, was.protocol.sorts, [&](std::size_t i) { return is.instance.sort_size(ir::SortId(i)); },
             [&](std::size_t i) { return was.instance.sort_size(ir::SortId(i)); }) &&
         is.instance.copies() >= was.instance.copies() && kept("") && all_kept(is.entries) && all_kept(was.entries);
}

void lost_instances(const Protocol& base, const Protocol& head, std::vector<Lost>& out) {
  const std::vector<Sized> now = instances(head);
  for (const Sized& was : instances(base)) {
    if (std::any_of(now.begin(), now.end(), [&](const Sized& is) { return covers(is, was); })) continue;
    const auto same = std::find_if(now.begin(), now.end(), [&](const Sized& is) { return is.name == was.name; });
    const bool gone = same == now.end();
    out.push_back(
        {"instance", was.name,
         fmt::format("instance {} is {}, and no other is as large", was.name, gone ? "gone" : "smaller or another now"),
         gone ? Span{} : same->span, true});
  }
}

/// A proof for any number of hosts or values is one for a fixed number now,
/// which no answer shows: it is called "proved" as before.
void lost_sizes(const Protocol& base, const Protocol& head, std::vector<Lost>& out) {
  for (const ir::RoleDecl& was : base.roles) {
    const ir::RoleDecl* is = find_named(head.roles, was.name);
    if (is == nullptr || !is->single || was.single) continue;
    out.push_back({"role", was.name,
                   fmt::format("role {} has a single host now, and had any number of them: what is said is said for "
                               "one host only",
                               was.name),
                   is->span});
  }
  for (const ir::SortDecl& was : base.sorts) {
    const ir::EnumDecl* members = find_named(head.enums, was.name);
    const ir::StructDecl* fields = find_named(head.structs, was.name);
    if (members == nullptr && fields == nullptr) continue;
    out.push_back({"type", was.name,
                   fmt::format("type {} is {} now, and had any number of values", was.name,
                               members != nullptr ? fmt::format("an enum of {}", members->members.size()) : "a struct"),
                   members != nullptr ? members->span : fields->span});
  }
}

std::string role_name(const Protocol& protocol, ir::RoleId role) {
  return role.valid() ? protocol[role].name : std::string();
}

/// A constant or variable of the same name in the role of the same name.
template <class Decl>
const Decl* same_member(const Protocol& base, const std::vector<Decl>& all, const Protocol& head, const Decl& is) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Decl& was) {
    return was.name == is.name && role_name(base, was.role) == role_name(head, is.role);
  });
  return at == all.end() ? nullptr : &*at;
}

template <class Decl>
std::string member_name(const Protocol& protocol, const Decl& decl) {
  return decl.role.valid() ? role_name(protocol, decl.role) + "." + decl.name : decl.name;
}

/// Formulas that the base does not have, or has with other constants in them.
void added_formulas(const std::string& kind, const Protocol& base, const std::vector<ir::Formula>& before,
                    const Protocol& head, const std::vector<ir::Formula>& after, std::vector<Lost>& out) {
  std::map<std::string, std::set<std::set<std::string>>> known;
  for (const ir::Formula& each : before) {
    known[ir::to_source(base, each.formula)].insert(definitions(base, each.formula));
  }
  for (const ir::Formula& each : after) {
    const std::string text = ir::to_source(head, each.formula);
    const auto at = known.find(text);
    const std::set<std::string> constants = definitions(head, each.formula);
    if (at != known.end() && at->second.count(constants) != 0) continue;
    out.push_back(
        {kind, text,
         at == known.end()
             ? fmt::format("'{}' is assumed {}, and was not", text, kind == "init" ? "of initial states now" : "now")
             : fmt::format("'{}' is assumed with other constants now: {}", text,
                           constants.empty() ? "none has a value" : fmt::format("{}", fmt::join(constants, ", "))),
         each.span});
  }
}

void added_of_constants(const Protocol& base, const Protocol& head, std::vector<Lost>& out) {
  for (const ir::ConstDecl& is : head.constants) {
    const ir::ConstDecl* was = same_member(base, base.constants, head, is);
    const std::string name = member_name(head, is);
    if (is.unique && (was == nullptr || !was->unique)) {
      out.push_back(
          {"const", name,
           fmt::format("constant {} is assumed to differ from host to host ('unique') now, and was not", name),
           is.span});
    }
    if (was != nullptr && was->kind == ir::ConstKind::free && is.kind != ir::ConstKind::free) {
      out.push_back({"const", name, fmt::format("constant {} has a definition now, and had any value", name), is.span});
    }
  }
}

}  // namespace

std::vector<Lost> lost_claims(const Protocol& base, const Protocol& head) {
  std::vector<Lost> out;
  for (const Property& was : base.properties) lost_property(base, head, was, out);
  lost_sizes(base, head, out);
  lost_instances(base, head, out);
  if (head.deadlock_ok && !base.deadlock_ok) {
    out.push_back(
        {"protocol", head.name, "runs may come to rest now ('deadlock ok'), and that was reported before", {}});
  }
  return out;
}

std::vector<Lost> added_assumptions(const Protocol& base, const Protocol& head) {
  std::vector<Lost> out;
  added_formulas("axiom", base, base.axioms, head, head.axioms, out);
  added_formulas("init", base, base.inits, head, head.inits, out);
  added_of_constants(base, head, out);
  for (const ir::VarDecl& is : head.variables) {
    const ir::VarDecl* was = same_member(base, base.variables, head, is);
    if (was == nullptr || was->init.valid() || !is.init.valid()) continue;
    const std::string name = member_name(head, is);
    out.push_back({"var", name,
                   fmt::format("variable {} begins as {} now, and had any value", name, ir::to_source(head, is.init)),
                   is.span});
  }
  for (const ir::MessageDecl& is : head.messages) {
    const ir::MessageDecl* was = find_named(base.messages, is.name);
    if (is.delivery != ir::Delivery::at_most_once || (was != nullptr && was->delivery == is.delivery)) continue;
    out.push_back({"message", is.name,
                   fmt::format("message {} is assumed to arrive at most once now, and was not", is.name), is.span});
  }
  return out;
}

std::vector<Lost> lost_claims(const frontend::Variant& base, const frontend::Variant& head, bool still_fits) {
  if (base.expected_property != head.expected_property) {
    return {{"variant", base.name,
             fmt::format("variant {} violated {}, and is expected to violate {} now", base.name, base.expected_property,
                         head.expected_property),
             head.expected_span}};
  }
  if (base.description != head.description && still_fits) {
    return {{"variant", base.name,
             fmt::format("variant {} is another mistake now, though the old one still fits the protocol: it was '{}'",
                         base.name, base.description),
             head.expected_span}};
  }
  return {};
}

}  // namespace tenet::gate
