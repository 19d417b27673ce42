// Any text: it must load or be refused with diagnostics inside the text, what
// loads must be well formed, and the formatter must reach a fixed point.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tenet/base/diagnostic.h"
#include "tenet/base/diagnostic_ids.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/verifier.h"

namespace {

using namespace tenet;

/// The protocol that fuzzed variants edit.
constexpr const char* kBase = R"(protocol base
message M(n: option<nat>)
role Node {
  var x: nat = 0
  step s(y: nat) when x == 0 and y > 1 { x = y + 1  send M(none) to all Node }
  receive M(n) from m: Node when n != none { if n > x { x = n } else { send M(x) to m } }
}
safety small: forall n: Node :: n.x < 3
)";

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Diagnostics& diagnostics, const SourceFile& file) {
  for (const Diagnostic& d : diagnostics.sorted()) {
    require(d.span.begin <= d.span.end && d.span.end <= file.text().size() + 1);
    require(find_diagnostic_id(d.id) != nullptr);
    (void)render(d, file, false);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SourceFile file("fuzz.tenet", std::string(reinterpret_cast<const char*>(data), size));
  if (frontend::kind_of(file) == frontend::FileKind::variant) {
    const frontend::LoadedVariant loaded = frontend::load_variant(file, SourceFile("base.tenet", kBase));
    check(loaded.diagnostics, file);
    require(loaded.variant.has_value() != loaded.diagnostics.has_errors());
    if (loaded.variant) require(ir::verify_ir(loaded.variant->protocol).empty());
  } else {
    const frontend::Loaded loaded = frontend::load_protocol(file);
    check(loaded.diagnostics, file);
    require(loaded.protocol.has_value() != loaded.diagnostics.has_errors());
    if (loaded.protocol) require(ir::verify_ir(*loaded.protocol).empty());
  }
  const frontend::Formatted once = frontend::format(file);
  check(once.diagnostics, file);
  if (once.text) {
    const frontend::Formatted twice = frontend::format(SourceFile("again.tenet", *once.text));
    require(twice.text.has_value() && *twice.text == *once.text);
  }
  return 0;
}
