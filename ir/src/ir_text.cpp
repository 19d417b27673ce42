#include "ir_text.h"

#include <array>

namespace tenet::ir {

std::string_view type_word(TypeKind kind) {
  constexpr std::array<std::string_view, 13> kWords = {"bool",   "int", "nat", "real", "enum", "sort",  "host",
                                                       "option", "set", "map", "fun",  "seq",  "struct"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view delivery_word(Delivery delivery) {
  constexpr std::array<std::string_view, 3> kWords = {"any", "at_most_once", "in_order"};
  return kWords[static_cast<std::size_t>(delivery)];
}

std::string_view property_word(PropertyKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"safety", "transition", "reachable", "lemma"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view trace_claim_word(TraceClaim claim) {
  constexpr std::array<std::string_view, 3> kWords = {"possible", "impossible", "theorem"};
  return kWords[static_cast<std::size_t>(claim)];
}

std::string_view trace_item_word(TraceItemKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"assert", "steps", "any", "arbitrary"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view const_kind_word(ConstKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"free", "defined", "ring_next", "ring_between"};
  return kWords[static_cast<std::size_t>(kind)];
}

bool always_boolean(Op op) {
  switch (op) {
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::contains:
    case Op::subset:
    case Op::majority:
    case Op::map_has:
    case Op::forall:
    case Op::exists:
    case Op::sent:
    case Op::once:
      return true;
    default:
      return false;
  }
}

}  // namespace tenet::ir
