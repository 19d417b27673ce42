#include "broker.h"

namespace broker {

Queues::Queues() {}
Queues::~Queues() {}

void Queues::push(const std::string& queue, const std::string& message) { queues_[queue].push_back(message); }

std::optional<std::string> Queues::pop(const std::string& queue) {
  auto& messages = queues_[queue];
  if (messages.empty()) return std::nullopt;
  std::string message = messages.front();
  messages.pop_front();
  return message;
}

std::optional<std::string> Queues::front(const std::string& queue) const {
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.empty()) return std::nullopt;
  return found->second.front();
}

int Queues::size(const std::string& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : static_cast<int>(found->second.size());
}

Locks::Locks() {}
Locks::~Locks() {}

bool Locks::try_lock(const std::string& name, int owner) { return owners_.emplace(name, owner).second; }

bool Locks::unlock(const std::string& name, int owner) {
  const auto found = owners_.find(name);
  if (found == owners_.end() || found->second != owner) return false;
  owners_.erase(found);
  return true;
}

int Locks::owner(const std::string& name) const {
  const auto found = owners_.find(name);
  return found == owners_.end() ? 0 : found->second;
}

Sequences::Sequences() {}
Sequences::~Sequences() {}

long Sequences::next(const std::string& topic) { return ++last_[topic]; }

long Sequences::last(const std::string& topic) const {
  const auto found = last_.find(topic);
  return found == last_.end() ? 0 : found->second;
}

void Sequences::skip(const std::string& topic, long amount) { last_[topic] += amount; }

}  // namespace broker
