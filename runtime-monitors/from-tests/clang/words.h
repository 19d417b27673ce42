/// The words of the command line.
#pragma once

#include <string>
#include <string_view>

#include "tenet/base/result.h"

namespace CLI {
class App;
}

namespace tenet::from_tests {

/// model, extract, attach: what reads C++.
void add_source_words(CLI::App& app, int& status);
/// infer, generate, validate: what reads recordings and definitions.
void add_checker_words(CLI::App& app, int& status);

void say(std::string_view text);
void tell(std::string_view text);
int status_of(const Error& error);
/// False, after it was told, if it cannot be written.
bool write_file(const std::string& path, std::string_view text);

}  // namespace tenet::from_tests
