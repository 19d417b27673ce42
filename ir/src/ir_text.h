/// Words that IR text and JSON share.
#pragma once

#include <string_view>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

[[nodiscard]] std::string_view type_word(TypeKind kind);
[[nodiscard]] std::string_view delivery_word(Delivery delivery);
[[nodiscard]] std::string_view const_kind_word(ConstKind kind);
[[nodiscard]] std::string_view trace_item_word(TraceItemKind kind);
/// Operations whose type is always bool, and so not written.
[[nodiscard]] bool always_boolean(Op op);

}  // namespace tenet::ir
