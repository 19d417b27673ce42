/// One trace as text.
#pragma once

#include <string>

#include "paint.h"
#include "tenet/result/result_model.h"

namespace tenet::report {

/// The run step by step, then why it matters. Ends with a line break.
[[nodiscard]] std::string trace_text(const result::FileResult& file, const result::Finding& finding,
                                     const Paint& paint);

/// The lines of `span` with their numbers, underlined when it is one line;
/// at most `max_lines`.
[[nodiscard]] std::string excerpt(const SourceFile& source, Span span, const Paint& paint, std::size_t max_lines);

}  // namespace tenet::report
