/// The command line as values. Parsing knows no command, commands know no
/// parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tenet::cli {

enum class Colour { automatic, always, never };

/// Where reports go: paths, "-" for standard output, empty for none.
struct ReportFiles {
  std::string json, sarif, junit, itf, html;
  std::string properties;  ///< what was derived, for `tenet monitor generate --invariants`
};

/// What the commands that print findings share.
struct OutputArguments {
  ReportFiles reports;
  bool quiet = false;
  bool deterministic = false;
  Colour colour = Colour::automatic;
  bool profile = false;     ///< say in the text what the proofs cost
  std::string certificate;  ///< a folder for what the proofs rest on; empty: none
};

/// What the commands that prove share.
struct ProverArguments {
  double seconds = 60;  ///< a file
  std::uint32_t seed = 0;
  bool recheck = false;
  bool no_cache = false;
};

struct VerifyArguments {
  std::vector<std::string> paths;
  std::vector<std::string> variants;
  std::string instance;
  std::vector<std::string> properties;
  unsigned jobs = 0;           ///< 0: as many as there are processors
  std::uint64_t memory = 0;    ///< bytes; 0: the default
  double explore_seconds = 0;  ///< an instance; 0: no limit
  std::size_t max_violations = 1;
  bool accept_bounded = false;
  bool explore_only = false;
  bool infer = false;
  std::optional<unsigned> symbolic_depth;
  ProverArguments prover;
  bool mutate = false;
  std::string show;
  OutputArguments output;
};

struct InvariantsArguments {
  std::string path;
  ProverArguments prover;
  OutputArguments output;  ///< of the reports: JSON and HTML
};

struct CheckArguments {
  std::vector<std::string> paths;
  std::string show;
  OutputArguments output;
};

struct FmtArguments {
  std::vector<std::string> paths;
  bool check = false;
  Colour colour = Colour::automatic;
};

struct SimulateArguments {
  std::string path;
  std::string instance;
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;
  std::uint32_t steps = 50;
  OutputArguments output;
};

struct GateArguments {
  std::string base;
  std::string head = "HEAD";
  std::string repository = ".";
  std::string shard;               ///< "2/5", "auto", "auto/5"; empty: everything
  std::string shard_file;          ///< where the results of the shard go
  std::vector<std::string> merge;  ///< results of all shards; then nothing is verified
  std::string sarif, summary;      ///< reports: paths, "-" for standard output, empty for none
  unsigned jobs = 0;               ///< 0: as many as there are processors
  std::uint64_t memory = 0;        ///< bytes; 0: the default
  bool no_cache = false;
  bool quiet = false;
};

struct RecheckArguments {
  std::string folder;
  std::string source;              ///< a file; empty: the one that the certificate names
  std::vector<std::string> trust;  ///< kinds of assertions
  unsigned jobs = 0;               ///< 0: as many as there are processors
  bool quiet = false;
};

/// Nothing to run: text to print, and the exit status that goes with it.
struct Answer {
  std::string text;
  int status = 0;
};

using Command = std::variant<Answer, VerifyArguments, InvariantsArguments, CheckArguments, FmtArguments,
                             SimulateArguments, GateArguments, RecheckArguments>;

/// Never throws; a wrong command line is an Answer with status 3.
[[nodiscard]] Command parse_arguments(int count, const char* const* arguments);

/// "512M", "4G", "2GiB", "1048576": bytes, in powers of 1024. False if it is
/// no size or too large.
[[nodiscard]] bool parse_size(const std::string& text, std::uint64_t& bytes);

}  // namespace tenet::cli
