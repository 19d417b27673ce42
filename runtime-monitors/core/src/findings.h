/// What rules say, counted, and written where it is worth a line.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "line_file.h"
#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

/// Counts verdicts, keeps the last events of every host, and writes findings: each different one once, at most so many
/// a minute and rule. Not thread-safe.
class Findings final : public Sink {
 public:
  Findings(Rules& rules, const Options& options, std::uint64_t salt);

  void remember(const Event& event) override;
  void verdict(std::size_t rule, Verdict verdict, const Event& event, const std::string& detail,
               const std::vector<HostId>& others) override;

  bool open(const std::string& path) { return file_.open(path); }
  [[nodiscard]] std::vector<RuleState>& states() { return states_; }
  [[nodiscard]] const std::vector<RuleState>& states() const { return states_; }
  [[nodiscard]] std::vector<std::string> last() const { return {last_.begin(), last_.end()}; }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::size_t bytes() const { return evidence_bytes_; }

 private:
  struct Pace {
    std::uint64_t minute = 0;
    std::uint32_t used = 0;
    std::uint64_t suppressed = 0;  ///< since the last one written
  };
  [[nodiscard]] bool worth_a_line(std::size_t rule, const Event& event, const std::string& detail);
  [[nodiscard]] std::string line(std::size_t rule, const Event& event, const std::string& detail,
                                 const std::vector<HostId>& others);
  [[nodiscard]] std::string evidence(const Event& event, const std::vector<HostId>& others) const;
  void show_recent(HostId host, const Event& judged, std::string& out) const;
  void show(const Event& event, std::string& out) const;

  const Rules& rules_;
  Rendering rendering_;
  std::uint32_t per_minute_;
  bool to_file_;
  LineFile file_;
  std::vector<RuleState> states_;
  std::vector<Pace> pace_;
  std::set<std::uint64_t> seen_;
  std::map<HostId, std::deque<Event>> recent_;
  std::size_t evidence_bytes_ = 0;
  std::deque<std::string> last_;
  std::uint64_t written_ = 0, lost_ = 0;
};

}  // namespace tenet::monitor
