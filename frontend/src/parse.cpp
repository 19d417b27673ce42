#include "parse.h"

#include <fmt/format.h>

#include <utility>

#include "grammar.h"
#include "parse_state.h"
#include "tenet/frontend/frontend.h"

namespace tenet::frontend {

Parsed parse(const SourceFile& file, Grammar grammar, Diagnostics& diagnostics) {
  Parsed parsed;
  parsed.tree.stopped = true;
  if (file.text().size() > kMaxFileBytes) {
    diagnostics.error("file-too-large", {0, 1}, fmt::format("the file is larger than {} bytes", kMaxFileBytes));
    return parsed;
  }
  parsed.tokens = tokenize(file);
  if (parsed.tokens.too_many) {
    diagnostics.error("file-too-complex", parsed.tokens.tokens.back().span,
                      fmt::format("more than {} words and signs in one file: this is no protocol", kMaxTokens));
    return parsed;
  }
  if (!parsed.tokens.unterminated_comment.empty()) {
    diagnostics.error("unterminated-comment", parsed.tokens.unterminated_comment, "this comment is never closed",
                      "close it with '*/'");
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
