/// An independent check of what a proof rests on.
///
/// ```
/// auto report = tenet::recheck::recheck("certificates/paxos", {});
/// if (report) std::cout << tenet::recheck::text(*report); // and exit with report->status()
/// ```
/// What is checked, and what is not: docs/certificates.md.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/base/stop.h"

namespace tenet::recheck {

struct Options {
  /// The text that the certificate must be about; empty: the file that it names, if that is there.
  std::string source;
  std::set<std::string> trust;  ///< kinds of assertions that are taken as they are: "counting", "step" …
  unsigned jobs = 1;
  const StopFlag* stop = nullptr;                    ///< not owned; null: nothing stops it
  std::function<void(const std::string&)> progress;  ///< called by one thread at a time
};

/// The kinds of assertions that there are.
[[nodiscard]] const std::vector<std::string>& kinds();

/// Of one kind of assertion.
struct Count {
  std::size_t regenerated = 0;  ///< follow from what was made anew from the source
  std::size_t trusted = 0;      ///< taken as they are, because that was asked for
};

/// What is wrong, and where.
struct Trouble {
  std::string file;      ///< in the folder
  std::size_t line = 0;  ///< 0: the whole file
  std::string what;
};

struct Report {
  std::string folder, protocol;
  std::vector<std::string> claims;  ///< of the source, that are proved
  std::vector<std::string> open;    ///< of the source, that the certificate does not say are proved
  std::size_t obligations = 0, by_text = 0, reproved = 0;
  std::map<std::string, Count> assertions;  ///< by kind
  std::string solver;                       ///< that proved the obligations anew
  std::vector<Trouble> refused;             ///< why it does not hold, in the order of the manifest
  std::vector<Trouble> undecided;           ///< what no solver could decide
  std::string
      not_compared;  ///< the source's path, if it is not there and so was not compared with the certificate's text

  /// 0: it holds, and every claim of the source is proved; 1: it does not hold; 2: something is open.
  [[nodiscard]] int status() const;
};

/// Checks the certificate in a folder. Errors: `bad_input` of what is no
/// certificate (with file and line), `unsupported` of a protocol whose theory is
/// not there, `io`, `interrupted`.
[[nodiscard]] Result<Report> recheck(const std::string& folder, const Options& options);

[[nodiscard]] std::string text(const Report& report);

}  // namespace tenet::recheck
