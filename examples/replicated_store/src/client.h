/// A client of the store: one operation at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "context.h"

namespace replicated {

class Client {
 public:
  /// `number`: no other client has it in the life of the cluster.
  Client(Context& context, const Cluster& cluster, std::uint64_t number)
      : context_(context), cluster_(cluster), number_(number) {}

  using Done = std::function<void(const Result&)>;
  void put(std::string key, std::string value, Done done) {
    call(true, std::move(key), std::move(value), std::move(done));
  }
  void get(std::string key, Done done) { call(false, std::move(key), {}, std::move(done)); }
  void receive(const Message& message);
  [[nodiscard]] bool idle() const { return !command_; }

 private:
  void call(bool put, std::string key, std::string value, Done done);
  void ask();

  Context& context_;
  const Cluster& cluster_;
  std::uint64_t number_;
  std::uint64_t commands_ = 0;
  std::uint64_t target_ = 0;  ///< the replica that is asked
  std::optional<Command> command_;
  Done done_;
};

}  // namespace replicated
