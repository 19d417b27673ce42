#include "load.h"

#include "lower.h"
#include "parser.h"
#include "program.h"

namespace tenet::frontend::pyv {

Loaded load(const SourceFile& file) {
  Loaded loaded;
  File tree = parse(file, loaded.diagnostics);
  // What could not be read would be missed everywhere: names would be unknown that are declared.
  if (loaded.diagnostics.has_errors()) return loaded;
  const Program program = check(std::move(tree), loaded.diagnostics);
  if (loaded.diagnostics.has_errors()) return loaded;
  ir::Protocol protocol = Lowering(program, file, loaded.diagnostics).run();
  if (!loaded.diagnostics.has_errors()) loaded.protocol = std::move(protocol);
  return loaded;
}

}  // namespace tenet::frontend::pyv
