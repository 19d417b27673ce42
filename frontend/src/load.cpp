#include "pyv/load.h"
#include "lowering.h"
#include "parse.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/instance.h"

namespace tenet::frontend {

Language language_of(const SourceFile& file) {
  return file.path().ends_with(".pyv") ? Language::mypyvy : Language::tenet;
}

bool is_protocol_path(const std::string& path) { return path.ends_with(".tenet") || path.ends_with(".pyv"); }

FileKind kind_of(const SourceFile& file) {
  if (language_of(file) == Language::mypyvy) return FileKind::protocol;
  const TokenList list = tokenize(file);
  const Tok first = list.tokens.front().kind;
  if (first == Tok::kw_protocol) return FileKind::protocol;
  return first == Tok::kw_variant ? FileKind::variant : FileKind::unknown;
}

Loaded load_protocol(const SourceFile& file) {
  if (language_of(file) == Language::mypyvy) return pyv::load(file);
  Loaded loaded;
  const Parsed parsed = parse(file, Grammar::protocol, loaded.diagnostics);
  if (parsed.tree.stopped) return loaded;
  // What could be read is checked even if something else could not.
  ir::Protocol protocol = Lowering(file, parsed.tree, loaded.diagnostics).run();
  if (loaded.diagnostics.has_errors()) return loaded;
  for (const ir::InstanceDecl& instance : protocol.instances) {
    (void)ir::Instance::resolve(protocol, &instance, loaded.diagnostics);
  }
  if (!loaded.diagnostics.has_errors()) loaded.protocol = std::move(protocol);
  return loaded;
}

}  // namespace tenet::frontend
