#include "client.h"

#include <utility>

namespace replicated {

void Client::put(const std::string& key, const std::string& value, Done done) {
  call({self_, ++commands_, true, key, value}, std::move(done));
}

void Client::get(const std::string& key, Done done) { call({self_, ++commands_, false, key, {}}, std::move(done)); }

void Client::call(Command command, Done done) {
  command_ = std::move(command);
  done_ = std::move(done);
  ask();
}

void Client::ask() {
  context_.send(target_, encode(Message{{}, Request{*command_}}));
  context_.after(cluster_.patience, [this, number = commands_] {
    if (!command_ || number != commands_) return;
    target_ = (target_ + 1) % cluster_.replicas;
    ask();
  });
}

bool Client::receive(Peer, std::string_view body) {
  Message message;
  if (!decode(body, message)) return false;
  const auto* answer = std::get_if<Answer>(&message.body);
  if (answer == nullptr || !command_ || answer->result.number != command_->number) return true;
  command_.reset();
  // What is done may begin the next operation.
  const Done done = std::exchange(done_, nullptr);
  done({answer->result.version, answer->result.value});
  return true;
}

}  // namespace replicated
