// Any text as a file in mypyvy's language: it must load or be refused with
// diagnostics inside the text, and what loads must be well formed.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tenet/base/diagnostic.h"
#include "tenet/base/diagnostic_ids.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace {

using namespace tenet;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SourceFile file("fuzz.pyv", std::string(reinterpret_cast<const char*>(data), size));
  const frontend::Loaded loaded = frontend::load_protocol(file);
  for (const Diagnostic& d : loaded.diagnostics.sorted()) {
    require(d.span.begin <= d.span.end && d.span.end <= file.text().size());
    require(find_diagnostic_id(d.id) != nullptr);
    (void)render(d, file, false);
  }
  require(loaded.protocol.has_value() != loaded.diagnostics.has_errors());
  if (!loaded.protocol) return 0;
  require(ir::verify_ir(*loaded.protocol).empty());
  // Large ones take long to print, and are no different.
  if (loaded.protocol->exprs.size() > 20'000) return 0;
  const std::string text = ir::print(*loaded.protocol);
  const auto again = ir::read(text);
  require(again.has_value() && ir::print(*again) == text);
  return 0;
}
