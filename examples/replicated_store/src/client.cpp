#include "client.h"

#include <utility>

namespace replicated {

void Client::call(bool put, std::string key, std::string value, Done done) {
  command_ = Command{number_, ++commands_, put, std::move(key), std::move(value)};
  done_ = std::move(done);
  ask();
}

void Client::ask() {
  context_.send({Kind::replica, target_}, {.body = Request{*command_}});
  context_.after(cluster_.patience, [this, number = commands_] {
    if (idle() || number != commands_) return;
    target_ = (target_ + 1) % cluster_.replicas;
    ask();
  });
}

void Client::receive(const Message& message) {
  const auto* answer = std::get_if<Answer>(&message.body);
  if (answer == nullptr || !command_ || answer->result.number != command_->number) return;
  command_.reset();
  std::exchange(done_, nullptr)(answer->result);
}

}  // namespace replicated
