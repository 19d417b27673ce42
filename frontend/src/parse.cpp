#include "parse.h"

#include <utility>

#include "grammar.h"
#include "parse_state.h"

namespace tenet::frontend {

Parsed parse(const SourceFile& file, Grammar grammar, Diagnostics& diagnostics) {
  Parsed parsed;
  parsed.tokens = tokenize(file);
  if (!parsed.tokens.unterminated_comment.empty()) {
    diagnostics.error("unterminated-comment", parsed.tokens.unterminated_comment, "this comment is never closed",
                      "close it with '*/'");
    parsed.tree.stopped = true;
    return parsed;
  }
  ParseState state(file, parsed.tokens, diagnostics);
  state.variant = grammar == Grammar::variant;
  const bool complete = state.variant ? grammar::variant_file(state) : grammar::protocol_file(state);
  if (!complete) state.report(state.end());
  state.tree.stopped = !complete || state.stopped();
  parsed.tree = std::move(state.tree);
  parsed.tree.is_variant = state.variant;
  return parsed;
}

}  // namespace tenet::frontend
