/// Answers of the prover in memory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tenet/provenance/prover.h"

namespace tenet::campaign {

class MemoryStore : public provenance::AnswerStore {
 public:
  std::optional<std::string> find(const std::string& question) override {
    const auto found = answers_.find(question);
    if (found == answers_.end()) return std::nullopt;
    ++hits;
    return found->second;
  }
  void keep(const std::string& question, const std::string& answer) override {
    answers_.insert_or_assign(question, answer);
  }
  [[nodiscard]] std::size_t size() const { return answers_.size(); }

  std::size_t hits = 0;
  std::map<std::string, std::string>& answers() { return answers_; }

 private:
  std::map<std::string, std::string> answers_;
};

}  // namespace tenet::campaign
