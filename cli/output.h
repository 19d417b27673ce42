/// Getting text out without losing any of it silently.
#pragma once

#include <string>
#include <string_view>

#include "tenet/base/result.h"

namespace tenet::cli {

/// Writes the whole text to standard output. Errors: `io`.
[[nodiscard]] Result<void> write_standard_output(std::string_view text);

/// Writes a file so that there is either the old one or the whole new one: a
/// temporary file beside it is renamed. What is no regular file (a device, a
/// pipe) is written directly; "-" is standard output. Errors: `io`, with path
/// and cause.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text);

/// Text beside the report, as it is; a failure to write it is ignored.
void complain(std::string_view text);

/// `tenet: message` on a line of its own, beside the report. The message may
/// hold what somebody else wrote (a path): it is made printable.
void complain_of(std::string_view message);

}  // namespace tenet::cli
