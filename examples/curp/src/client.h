/// A client: one request at a time, finished after one round trip if all witnesses accept it and the master answers.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "context.h"
#include "tell.h"

namespace curp {

class Client {
 public:
  /// What a request came to.
  struct Outcome {
    std::uint64_t version = 0;
    std::string value;  ///< of a read
    bool fast = false;  ///< not synced when it was finished
  };
  using Done = std::function<void(const Outcome&)>;

  Client(Context& context, const Cluster& cluster, std::uint32_t index);

  /// Writes `value`; the outcome has the version that it made. One request at a time: `idle` first.
  void put(std::string key, std::string value, Done done);
  void get(std::string key, Done done);
  [[nodiscard]] bool idle() const { return !op_ && !reading_; }
  void receive(const Message& message);

 private:
  struct Finished {
    Op op;
    std::uint64_t version = 0;
    std::uint64_t list = 0;
  };
  template <class Event>
  spec::MessageId tell(Event event);
  void send_request(spec::MessageId step);
  void send_update(bool sync);
  void send_read();
  void retry_later();
  void on(const Accepted& accepted, const Message& message);
  void on(const Result& result, const Message& message);
  void on(const Value& value, const Message& message);
  void on(const Config& config, const Message& message);
  void on(const Refused& refused, const Message& message);
  void finish();

  Context& context_;
  const Cluster& cluster_;
  std::uint32_t index_;
  spec::ClientMonitor monitor_;

  std::uint64_t number_ = 0;
  std::optional<Request> op_;
  std::uint64_t list_ = 0;
  std::uint64_t epoch_ = 0;  ///< of the master
  std::uint32_t process_ = 0;
  Witnesses witnesses_;
  std::set<std::uint32_t> accepted_;
  std::optional<std::uint64_t> result_;  ///< the version
  bool synced_ = false;
  std::vector<Finished> finished_;

  Name update_;                  ///< under which the update was last told
  bool asked_for_sync_ = false;  ///< in this list
  std::optional<Value> read_;    ///< what was read last
  std::optional<Read> reading_;
  std::uint64_t reads_ = 0;
  std::uint64_t attempt_ = 0;
  Done done_;
};

}  // namespace curp
