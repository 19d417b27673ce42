#include "client.h"

#include <utility>

namespace mysystem_service {

namespace {

constexpr tenet::system::Microseconds kPatience = 100'000;

}  // namespace

void Client::put(const std::string& key, const std::string& value, Done done) {
  call({++numbers_, true, key, value}, std::move(done));
}

void Client::get(const std::string& key, Done done) { call({++numbers_, false, key, {}}, std::move(done)); }

void Client::call(Request request, Done done) {
  request_ = std::move(request);
  done_ = std::move(done);
  ask();
}

void Client::ask() {
  context_.send(0, encode(Message{{}, *request_}));
  context_.after(kPatience, [this, number = numbers_] {
    if (request_ && request_->number == number) ask();
  });
}

bool Client::receive(tenet::system::Peer, std::string_view body) {
  Message message;
  if (!decode(body, message)) return false;
  const auto* reply = std::get_if<Reply>(&message.body);
  if (reply == nullptr || !request_ || reply->number != request_->number) return true;
  request_.reset();
  // What is done may begin the next operation.
  const Done done = std::exchange(done_, nullptr);
  done({reply->version, reply->value});
  return true;
}

}  // namespace mysystem_service
