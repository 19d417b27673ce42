/// Report writers over the result model. Each returns the whole text; the
/// caller writes it. With `deterministic`, times, rates and memory are left out.
#pragma once

#include <string>

#include "tenet/result/result_model.h"

namespace tenet::report {

struct Style {
  bool colour = false;
  bool deterministic = false;
  bool quiet = false;
  bool profile = false;  ///< text: what the proofs cost
};

/// For a terminal: what was found, traces told step by step, what it amounts to.
[[nodiscard]] std::string text(const result::RunResult& run, const Style& style);
/// Everything, by the schema in docs/reports.md; its version is inside.
[[nodiscard]] std::string json(const result::RunResult& run, const Style& style);
/// SARIF 2.1.0, traces as code flows.
[[nodiscard]] std::string sarif(const result::RunResult& run, const Style& style);
/// JUnit XML: a suite for each file, a case for each thing that was asked.
[[nodiscard]] std::string junit(const result::RunResult& run, const Style& style);
/// Informal Trace Format (Apalache ADR-015) of the trace of `finding`, which
/// belongs to `file`.
[[nodiscard]] std::string itf(const result::FileResult& file, const result::Finding& finding);
/// A valid ITF document without variables and states.
[[nodiscard]] std::string itf_without_trace();
/// One self-contained page; traces as message-sequence charts.
[[nodiscard]] std::string html(const result::RunResult& run, const Style& style);

/// A file of a certificate: its path below the folder, and its text.
struct CertificateFile {
  std::string path, text;
};
/// For every proof of the run a folder with one SMT-LIB file for each
/// obligation that needed a solver, and `manifest.json`: what each shows and
/// which statements it was given (docs/proving.md). Needs a run whose queries
/// were kept.
[[nodiscard]] std::vector<CertificateFile> certificate(const result::RunResult& run);

}  // namespace tenet::report
