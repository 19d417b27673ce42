/// From paths to loaded protocols.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenet/base/source.h"
#include "tenet/frontend/frontend.h"
#include "tenet/result/result_model.h"

namespace tenet::verify {

/// One file that was asked for.
struct Input {
  std::string path;
  bool from_folder = false;  ///< found in a folder rather than named
};

/// Files and the `.tenet` files in folders, each once, folders in order of
/// their names. What cannot be read becomes a problem.
struct Inputs {
  std::vector<Input> files;
  std::vector<result::Finding> problems;
};
[[nodiscard]] Inputs find_inputs(const std::vector<std::string>& paths);

/// A file as far as it could be loaded: `result` always has its source, and
/// its diagnostics as findings.
struct LoadedFile {
  result::FileResult result;
  frontend::FileKind kind = frontend::FileKind::unknown;
};
/// Reads the file; a protocol is also loaded (`result.ir`).
[[nodiscard]] LoadedFile load_file(const std::string& path);

/// Appends the diagnostics of `source` as findings.
void add_diagnostics(const Diagnostics& diagnostics, result::FileResult& file);

/// A finding about input that cannot be used.
[[nodiscard]] result::Finding bad_input(std::string rule, std::string message, std::string hint = {});

}  // namespace tenet::verify
