/// The manifest of a certificate: what it claims, and what rests on what.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/recheck/recheck.h"
#include "theory.h"

namespace tenet::recheck {

struct ManifestUse {
  std::string statement;
  bool earlier = false;
};

struct Obligation {
  std::string kind, statement, part, solver;
  std::string file;  ///< empty: none, as nothing had to be asked
  std::vector<ManifestUse> uses;
};

struct Manifest {
  std::string protocol, path, text;
  std::vector<std::string> properties;  ///< that it lists …
  std::set<std::string> proved;         ///< … and those of them that it says are proved
  std::vector<Obligation> obligations;
};

/// Errors: `bad_input` of a manifest without what it must have.
[[nodiscard]] Result<Manifest> read_manifest(const std::string& text);

/// The protocol of a manifest with all that its obligations say.
struct Claims {
  ir::Protocol protocol;
  std::map<std::string, Statement> statements;  ///< names of properties, texts of other statements
  std::map<std::string, std::pair<std::vector<ir::LocalId>, ir::ExprId>> measures;  ///< "statement / part"
};

/// The source and the statements, as the frontend reads them. Troubles are
/// appended; with one of them nothing else of the result counts.
[[nodiscard]] Result<Claims> read_claims(const Manifest& manifest, std::vector<Trouble>& refused);

/// For each obligation the question that its file must answer; null where there is none to ask.
/// What is missing, circular or out of order is appended to `refused`.
[[nodiscard]] std::vector<std::unique_ptr<Question>> questions(const Manifest& manifest, const Claims& claims,
                                                               std::vector<Trouble>& refused);

/// What an execution reads that might not be there, and that no obligation shows to be there.
[[nodiscard]] std::vector<std::pair<std::string, Question>> unshown(const Manifest& manifest, const Claims& claims);

/// What of the source is not there by its text alone, each with the question whether it is, under its name. Of it the
/// certificate's order says what may rely on what.
[[nodiscard]] std::vector<std::pair<std::string, Question>> definedness(const Manifest& manifest, Claims claims);

}  // namespace tenet::recheck
