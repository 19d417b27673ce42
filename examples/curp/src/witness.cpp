#include "witness.h"

#include <cstring>

namespace curp {

namespace {

constexpr char kMagic[8] = {'c', 'u', 'r', 'p', 'w', 'i', 't', '1'};

struct Header {
  char magic[8];
  std::uint64_t list;
  std::uint64_t frozen;
};
struct SlotHead {
  std::uint64_t check;  ///< of the rest; a slot that was torn is none
  std::uint64_t list;
  std::uint64_t used;
  std::uint64_t size;  ///< of the request that follows
};

std::uint64_t hash(std::string_view bytes) { return tenet::monitor::hash(bytes.data(), bytes.size()); }

}  // namespace

Witness::Witness(Context& context, const Cluster& cluster, std::uint32_t index)
    : context_(context), cluster_(cluster), index_(index), monitor_(index) {}

template <class Event>
spec::MessageId Witness::tell(Event event) {
  if (!watched()) return {};
  const std::vector<Request> requests = saved();
  const auto ops = told(requests);
  return event(spec::WitnessState{told(list_), frozen_, ops});
}

std::vector<Request> Witness::saved() const {
  std::vector<Request> requests;
  for (const auto& slot : slots_) {
    if (slot) requests.push_back(*slot);
  }
  return requests;
}

std::string Witness::open(Disk& disk) {
  if (std::string error = file_.open(disk, "table", kBlock, 1 + slots_.size()); !error.empty()) return error;
  Header header{};
  std::memcpy(&header, file_.read(0).data(), sizeof header);
  const bool first_life = std::memcmp(header.magic, kMagic, sizeof kMagic) != 0;
  if (first_life) {
    frozen_ = index_ >= cluster_.f();
    if (!write_header()) return "cannot write the table";
  } else {
    list_ = header.list;
    frozen_ = header.frozen != 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::string block = file_.read(1 + i);
      SlotHead head{};
      if (block.size() < kBlock) continue;
      std::memcpy(&head, block.data(), sizeof head);
      if (head.used == 0 || head.list != list_ || head.size > kBlock - sizeof head) continue;
      if (head.check != hash(std::string_view(block).substr(sizeof head.check, sizeof head - 8 + head.size))) continue;
      Request request;
      if (decode(std::string_view(block).substr(sizeof head, head.size), request)) slots_[i] = request;
    }
  }
  tell([&](const auto& state) {
    first_life ? monitor_.begins(state) : monitor_.recovers(state);
    return spec::MessageId();
  });
  alive();
  return {};
}

void Witness::alive() {
  context_.send({Kind::coordinator, 0}, {.body = Heartbeat{context_.boot(), context_.now()}});
  context_.after(cluster_.heartbeat, [this] { alive(); });
}

bool Witness::write_header() {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.list = list_;
  header.frozen = frozen_ && !context_.has(fault::forgets_it_is_frozen) ? 1 : 0;
  const std::string_view bytes(reinterpret_cast<const char*>(&header), sizeof header);
  return file_.write(0, bytes, !context_.has(fault::witness_without_fsync)).empty();
}

bool Witness::write_slot(std::size_t slot) {
  std::string block(sizeof(SlotHead), '\0');
  SlotHead head{0, list_, slots_[slot] ? 1U : 0U, 0};
  if (slots_[slot]) block += encode(*slots_[slot]);
  head.size = block.size() - sizeof head;
  std::memcpy(block.data(), &head, sizeof head);
  head.check = hash(std::string_view(block).substr(sizeof head.check));
  std::memcpy(block.data(), &head, sizeof head);
  // Forgetting need not be on the disk: what comes back is synced, and the replay knows it.
  return file_.write(1 + slot, block, slots_[slot] && !context_.has(fault::witness_without_fsync)).empty();
}

void Witness::receive(const Message& message) {
  if (const auto* record = std::get_if<Record>(&message.body)) on(*record, message);
  if (const auto* collect = std::get_if<Collect>(&message.body)) on(*collect, message);
  if (const auto* start = std::get_if<Start>(&message.body)) on(*start, message);
  if (const auto* freeze = std::get_if<Freeze>(&message.body)) on(*freeze, message);
}

void Witness::refuse(const Record& record, const Message& message, Why why) {
  context_.send(message.from, {.epoch = message.epoch, .body = Refused{record.request.op, record.list, why}});
}

void Witness::accept(const Record& record, const Message& message, spec::MessageId step) {
  const Op& op = record.request.op;
  const Name name = named(monitor_.sends_accepted(step, spec::ClientId(op.client), told(op), told(record.list)));
  context_.send(message.from, {.epoch = message.epoch, .name = name, .body = Accepted{op, record.list}});
  context_.reach(point::witness_accepted);
}

void Witness::on(const Record& record, const Message& message) {
  if (record.list != list_ || frozen_) return refuse(record, message, Why::other_list);
  const std::uint64_t key = hash(record.request.op.key);
  const std::size_t first = key % kSets * kWays;
  std::optional<std::size_t> free;
  for (std::size_t i = first; i < first + kWays; ++i) {
    if (!slots_[i]) {
      free = free.value_or(i);
    } else if (slots_[i]->op == record.request.op) {
      free = i;
      break;
    } else if (hash(slots_[i]->op.key) == key && !context_.has(fault::saves_conflicts)) {
      // What stands in the way although it should be synced by now came after it was collected.
      const Microseconds since = in_the_way_.try_emplace(record.request.op.key, context_.now()).first->second;
      if (context_.now() - since > cluster_.retry) {
        // The coordinator knows where the master is.
        context_.send({Kind::coordinator, 0}, {.epoch = message.epoch, .body = Stuck{slots_[i]->op}});
      }
      return refuse(record, message, Why::conflict);
    }
  }
  const bool fits = sizeof(SlotHead) + encode(record.request).size() <= kBlock;
  if (!free || !fits) return refuse(record, message, Why::no_room);
  if (context_.has(fault::accepts_first)) accept(record, message, {});
  const auto before = std::exchange(slots_[*free], record.request);
  context_.reach(point::witness_before_write);
  if (!write_slot(*free)) {
    slots_[*free] = before;
    return refuse(record, message, Why::no_room);
  }
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_.receive_record(told(message.name), spec::ClientId(record.request.op.client),
                                   told(record.request.op), told(record.list), state);
  });
  context_.reach(point::witness_written);
  if (!context_.has(fault::accepts_first)) accept(record, message, step);
}

void Witness::on(const Collect& collect, const Message& message) {
  if (collect.list != list_ || frozen_) return;
  const std::size_t first = hash(collect.op.key) % kSets * kWays;
  for (std::size_t i = first; i < first + kWays; ++i) {
    if (!slots_[i] || slots_[i]->op != collect.op) continue;
    slots_[i].reset();
    // If it fails the request comes back at the next start, which does no harm.
    (void)write_slot(i);
  }
  in_the_way_.erase(collect.op.key);
  tell([&](const auto& state) {
    return monitor_.receive_collect(told(message.name), master_of(message.epoch), told(collect.list), told(collect.op),
                                    state);
  });
}

void Witness::on(const Start& start, const Message& message) {
  if (start.list <= list_) return;
  const std::uint64_t list = std::exchange(list_, start.list);
  const bool frozen = std::exchange(frozen_, false);
  if (!write_header()) {
    list_ = list;
    frozen_ = frozen;
    return;
  }
  for (auto& slot : slots_) slot.reset();
  in_the_way_.clear();
  tell([&](const auto& state) {
    return monitor_.receive_start(told(message.name), master_of(message.epoch), told(start.list), state);
  });
}

void Witness::on(const Freeze& freeze, const Message& message) {
  const std::uint64_t list = list_;
  const bool frozen = frozen_;
  if (freeze.list > list_) list_ = freeze.list;
  if (freeze.list >= list_ && !context_.has(fault::does_not_freeze)) frozen_ = true;
  if ((list_ != list || frozen_ != frozen) && !write_header()) {
    list_ = list;
    frozen_ = frozen;
    return;
  }
  if (list_ != list) {
    for (auto& slot : slots_) slot.reset();
  }
  context_.reach(point::witness_frozen);
  std::vector<Request> requests;
  if (freeze.list == list_) requests = saved();
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_.receive_freeze(told(message.name), master_of(message.epoch), told(freeze.list), state);
  });
  Name name;
  if (watched()) {
    const auto ops = told(requests);
    name = named(monitor_.sends_saved(step, master_of(message.epoch), told(freeze.list), ops));
  }
  context_.send(message.from, {.epoch = message.epoch, .name = name, .body = Saved{freeze.list, std::move(requests)}});
}

}  // namespace curp
