/// The grammar's entry points; the only translation unit that knows Spirit is
/// grammar.cpp.
#pragma once

#include "parse_state.h"

namespace tenet::frontend::grammar {

/// Parses the tokens into `state.tree`. Errors have been reported to the
/// state when it returns; false if the start rule could not be completed.
bool protocol_file(ParseState& state);
bool variant_file(ParseState& state);

}  // namespace tenet::frontend::grammar
