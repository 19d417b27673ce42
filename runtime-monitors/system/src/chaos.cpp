#include "tenet/system/chaos.h"

#include <utility>

namespace tenet::system {

Chaos::Chaos(Launcher& launcher, std::vector<std::string> servers, std::uint64_t kills, std::uint64_t seed,
             Restart restart, std::vector<int> signals)
    : launcher_(launcher),
      servers_(std::move(servers)),
      kills_(kills),
      random_(seed),
      restart_(std::move(restart)),
      signals_(std::move(signals)) {}

void Chaos::tick() {
  const auto rest = [&] { return 10 + static_cast<int>(random_() % 60); };
  for (const std::string& server : launcher_.fallen()) {
    ++killed_;
    back_in_[server] = rest();
  }
  for (auto at = back_in_.begin(); at != back_in_.end();) {
    if (--at->second > 0) {
      ++at;
      continue;
    }
    restart_(at->first, killed_ < kills_ && random_() % 3 == 0, random_);
    at = back_in_.erase(at);
  }
  if (killed_ >= kills_ || --next_kill_ > 0) return;
  next_kill_ = 20 + static_cast<int>(random_() % 80);
  const std::string& server = servers_[random_() % servers_.size()];
  if (!launcher_.runs(server)) return;
  launcher_.kill(server, signals_[random_() % signals_.size()]);
  ++killed_;
  back_in_[server] = rest();
}

}  // namespace tenet::system
