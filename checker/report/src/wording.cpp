#include "wording.h"

#include <fmt/format.h>

#include <cmath>

#include "tenet/result/words.h"

namespace tenet::report {

std::string thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", thousands(number), one) : fmt::format("{} {}", thousands(number), many);
}

std::string duration(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes(std::uint64_t amount) {
  const double kilo = 1024.0;
  double value = static_cast<double>(amount);
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (value >= kilo && unit + 1 < std::size(units)) {
    value /= kilo;
    ++unit;
  }
  return unit == 0 || value >= 100 ? fmt::format("{:.0f} {}", value, units[unit])
                                   : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string proof_summary(const result::Proof& proof) {
  const std::vector<std::string> solvers = result::solvers(proof);
  std::string summary = fmt::format("{}, {} discharged{}", counted(proof.invariants.size(), "derived invariant"),
                                    counted(proof.discharged() - proof.syntactic(), "obligation"),
                                    solvers.empty() ? "" : " by " + result::listed(solvers));
  if (proof.rechecked() > 0) summary += fmt::format(" ({} confirmed by cvc5)", proof.rechecked());
  if (proof.syntactic() > 0) summary += fmt::format(", {} by the text alone", proof.syntactic());
  return summary;
}

std::string from_cache(const result::Proof& proof) {
  if (proof.cached) return " (from the cache)";
  const std::size_t known = proof.from_cache();
  if (known == 0) return "";
  return fmt::format(" ({} of {} from the cache)", known,
                     counted(proof.discharged() - proof.syntactic(), "obligation"));
}

std::string place(const SourceFile& source, Span span) {
  if (span.empty()) return source.path();
  const LineColumn at = source.position(span.begin);
  return fmt::format("{}:{}:{}", source.path(), at.line, at.column);
}

const SourceFile& trace_source(const result::FileResult& file) {
  return file.trace_source ? *file.trace_source : *file.source;
}

}  // namespace tenet::report
