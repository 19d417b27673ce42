/// A message broker in small: named queues, a table of locks with owners, a sequence per topic.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace broker {

class Queues {
 public:
  Queues();
  ~Queues();
  void push(const std::string& queue, const std::string& message);
  std::optional<std::string> pop(const std::string& queue);
  std::optional<std::string> front(const std::string& queue) const;
  int size(const std::string& queue) const;

 private:
  std::map<std::string, std::deque<std::string>> queues_;
};

class Locks {
 public:
  Locks();
  ~Locks();
  bool try_lock(const std::string& name, int owner);
  bool unlock(const std::string& name, int owner);
  int owner(const std::string& name) const;

 private:
  std::map<std::string, int> owners_;
};

class Sequences {
 public:
  Sequences();
  ~Sequences();
  long next(const std::string& topic);
  long last(const std::string& topic) const;
  void skip(const std::string& topic, long amount);

 private:
  std::map<std::string, long> last_;
};

}  // namespace broker
