#include "client.h"

#include <algorithm>

namespace curp {

Client::Client(Context& context, const Cluster& cluster, std::uint32_t index)
    : context_(context), cluster_(cluster), index_(index), monitor_(index) {
  for (std::uint32_t w = 0; w < cluster.f(); ++w) witnesses_.push_back(w);
  tell([&](const spec::ClientState& state) {
    monitor_.begins(state);
    return spec::MessageId();
  });
}

/// Calls `event` with the state as it is now.
template <class Event>
spec::MessageId Client::tell(Event event) {
  if (!watched()) return {};
  const auto finished = finished_ | std::views::transform([](const Finished& done) {
                          return spec::Finished{{told(done.op), told(done.version)}, told(done.list)};
                        });
  spec::ClientState state{told(number_), tenet::monitor::none, told(list_), master_of(epoch_), witnesses_,
                          accepted_,     tenet::monitor::none, synced_,     finished,          tenet::monitor::none};
  if (op_) state.op = told(op_->op);
  if (op_ && result_) state.result = spec::Entry{told(op_->op), told(*result_)};
  if (read_) state.read = spec::Reading{told_key(read_->key), told(read_->version), told(read_->list)};
  return event(state);
}

void Client::put(std::string key, std::string value, Done done) {
  ++number_;
  op_ = Request{{index_, number_, std::move(key)}, std::move(value)};
  done_ = std::move(done);
  send_request(tell([&](const auto& state) { return monitor_.call(told_key(op_->op.key), told(number_), state); }));
  retry_later();
}

void Client::get(std::string key, Done done) {
  reading_ = Read{++reads_, std::move(key)};
  done_ = std::move(done);
  send_read();
  retry_later();
}

void Client::send_read() { context_.send({Kind::master, process_}, {.epoch = epoch_, .body = *reading_}); }

void Client::send_request(spec::MessageId step) {
  asked_for_sync_ = false;
  update_ = named(monitor_.sends_update(step, master_of(epoch_), told(op_->op), told(list_)));
  send_update(cluster_.synchronous);
  if (cluster_.synchronous || cluster_.unreplicated) return;
  for (const std::uint32_t witness : witnesses_) {
    const Name name = named(monitor_.sends_record(step, spec::WitnessId(witness), told(op_->op), told(list_)));
    context_.send({Kind::witness, witness}, {.epoch = epoch_, .name = name, .body = Record{*op_, list_}});
  }
}

/// The same message again, if it was sent before: requests have ids.
void Client::send_update(bool sync) {
  asked_for_sync_ = asked_for_sync_ || sync;
  context_.send({Kind::master, process_}, {.epoch = epoch_, .name = update_, .body = Update{*op_, list_, sync}});
}

void Client::retry_later() {
  const std::uint64_t attempt = ++attempt_;
  context_.after(cluster_.retry, [this, attempt] {
    if (attempt != attempt_ || idle()) return;
    context_.send({Kind::coordinator, 0}, {.body = AskConfig{}});
    if (op_) send_update(true);
    if (reading_) send_read();
    retry_later();
  });
}

void Client::receive(const Message& message) {
  if (const auto* accepted = std::get_if<Accepted>(&message.body)) on(*accepted, message);
  if (const auto* result = std::get_if<Result>(&message.body)) on(*result, message);
  if (const auto* value = std::get_if<Value>(&message.body)) on(*value, message);
  if (const auto* config = std::get_if<Config>(&message.body)) on(*config, message);
  if (const auto* refused = std::get_if<Refused>(&message.body)) on(*refused, message);
}

void Client::on(const Accepted& accepted, const Message& message) {
  if (!op_ || accepted.op != op_->op || accepted.list != list_) return;
  accepted_.insert(message.from.index);
  tell([&](const auto& state) {
    return monitor_.receive_accepted(told(message.name), spec::WitnessId(message.from.index), told(accepted.op),
                                     told(accepted.list), state);
  });
  finish();
}

void Client::on(const Result& result, const Message& message) {
  if (!op_ || result.op != op_->op || result.list != list_) return;
  result_ = result.version;
  synced_ = result.synced;
  tell([&](const auto& state) {
    return monitor_.receive_result(told(message.name), master_of(message.epoch),
                                   {told(result.op), told(result.version)}, told(result.list), result.synced, state);
  });
  finish();
}

void Client::on(const Value& value, const Message& message) {
  read_ = value;
  tell([&](const auto& state) {
    return monitor_.receive_value(told(message.name), master_of(message.epoch), told_key(value.key),
                                  told(value.version), told(value.list), state);
  });
  if (!reading_ || value.number != reading_->number) return;
  reading_.reset();
  ++attempt_;
  std::exchange(done_, nullptr)({value.version, value.value, true});
}

void Client::on(const Config& config, const Message& message) {
  if (config.list <= list_) return;
  list_ = config.list;
  epoch_ = message.epoch;
  process_ = config.process;
  witnesses_ = config.witnesses;
  if (!context_.has(fault::keeps_old_accepts)) accepted_.clear();
  result_.reset();
  synced_ = false;
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_.receive_config(told(message.name), spec::CoordinatorId(), told(config.list),
                                   master_of(message.epoch), config.witnesses, state);
  });
  if (op_) send_request(step);
  if (reading_) send_read();
}

void Client::on(const Refused& refused, const Message& message) {
  if (message.from.kind == Kind::witness) {
    // Without this witness it must be synced.
    if (op_ && refused.op == op_->op && refused.list == list_ && !asked_for_sync_) send_update(true);
  } else if (refused.why == Why::other_list) {
    context_.send({Kind::coordinator, 0}, {.body = AskConfig{}});
  }
}

void Client::finish() {
  if (!op_ || !result_) return;
  bool enough = std::ranges::equal(accepted_, [&] {
    Witnesses sorted = witnesses_;
    std::ranges::sort(sorted);
    return sorted;
  }());
  if (context_.has(fault::finishes_on_one_accept)) enough = !accepted_.empty();
  if (context_.has(fault::keeps_old_accepts)) enough = accepted_.size() >= witnesses_.size();
  if (!synced_ && !enough) return;
  const Outcome outcome{*result_, {}, !synced_};
  finished_.push_back({op_->op, *result_, list_});
  op_.reset();
  accepted_.clear();
  result_.reset();
  synced_ = false;
  ++attempt_;
  tell([&](const auto& state) { return monitor_.finish(state); });
  std::exchange(done_, nullptr)(outcome);
}

}  // namespace curp
