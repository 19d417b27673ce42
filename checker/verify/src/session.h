/// What one `verify` command knows about the files it was given.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exploration.h"
#include "inputs.h"
#include "judge.h"
#include "tenet/frontend/frontend.h"
#include "tenet/result/result_model.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {

/// Explores one loaded protocol: fills the runs of `file`. `properties` and
/// the instance of `options` must exist in it.
[[nodiscard]] Explored explore_protocol(const Runner& runner, const Options& options, result::FileResult& file);

/// Asks the prover about what the explorations left open: fills the proofs of
/// `file` and `explored`. Thread-safe for different files.
void prove_protocol(const Runner& runner, const Options& options, result::FileResult& file, Explored& explored);

/// Has symbolic search look for what is then still open, if that is asked for
/// or promises something. Thread-safe for different files.
void search_protocol(const Runner& runner, const Options& options, result::FileResult& file, Explored& explored);

/// Looks for steps that do not keep claims which are still open, if the text
/// has lemmas or lemmas were looked for. Thread-safe for different files.
void explain_open_claims(const Runner& runner, const Options& options, const result::FileResult& file,
                         Explored& explored);

/// Appends the findings that all of it amounts to.
void conclude(const Options& options, result::FileResult& file, const Explored& explored);

/// Makes mutants of a protocol that holds and appends one finding for each.
void explore_mutants(const Runner& runner, const Options& options, result::FileResult& file);

/// Finds protocols by name in the folders around a variant; every file is
/// read once.
class Protocols {
 public:
  struct Found {
    std::shared_ptr<const SourceFile> source;  ///< null: there is none
    bool broken = false;                       ///< it does not load
    std::string other;                         ///< another file that could as well be meant; empty: there is none
  };
  /// The protocol `name` in the nearest folder at or above that of `variant`.
  [[nodiscard]] Found find(const std::string& variant, const std::string& name);

 private:
  const std::vector<LoadedFile>& in_folder(const std::filesystem::path& folder, const std::filesystem::path& shown);
  std::map<std::filesystem::path, std::vector<LoadedFile>> folders_;
};

/// A variant lowered against its protocol; its diagnostics are findings.
struct PreparedVariant {
  result::FileResult file;
  std::optional<frontend::Variant> variant;  ///< only if there are no errors
};
[[nodiscard]] PreparedVariant prepare_variant(Protocols& protocols, LoadedFile loaded);

/// Runs wrong variants: one FileResult for each, in the order of the inputs.
[[nodiscard]] std::vector<result::FileResult> explore_variants(const Runner& runner, const Options& options,
                                                               std::vector<LoadedFile> variants);

/// The properties of `protocol` that were asked for: all, or those named.
[[nodiscard]] std::vector<ir::PropertyId> asked_properties(const ir::Protocol& protocol,
                                                           const std::vector<std::string>& names);

}  // namespace tenet::verify
