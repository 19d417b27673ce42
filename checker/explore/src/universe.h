/// Everything that states are made of, numbered: configurations of constants,
/// the local states of each host, messages.
///
/// Numbers depend on the order of discovery and so on threads; hashes depend
/// on content only. Interning locks; reading does not.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "layout.h"
#include "places.h"
#include "stable_vector.h"
#include "tenet/ir/interpreter.h"

namespace tenet::explore {

struct Memo;

/// One interned message. In its addressee's inbox it has `copies` bits from
/// `bit` on; k copies in flight set the lowest k of them.
struct Message {
  ir::MessageId constructor;
  std::uint32_t sender = 0, addressee = 0;  ///< host numbers
  std::uint32_t bit = 0;
  std::uint32_t copies = 1;
  bool consumed = false;  ///< delivered at most once
  std::uint64_t hash = 0;
  std::vector<Cell> args;
  [[nodiscard]] std::uint64_t copy_hash(std::uint32_t copy) const;
};

/// One interned local state: variables and own constants of one host, under
/// one configuration of shared constants.
struct alignas(64) Local {
  std::uint32_t id = 0;
  std::uint32_t host = 0;
  std::uint32_t config = 0;
  std::uint64_t hash = 0;
  std::atomic<const Memo*> memo{nullptr};
  std::vector<std::uint32_t> projections;  ///< per check: what it reads here, numbered
  std::vector<Cell> cells;
};

struct Config {
  std::vector<Cell> cells;
  std::uint64_t hash = 0;
};

/// Which parts of a host's cells some check reads.
struct Footprint {
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> cells;  ///< by role: offset, length
  std::vector<bool> messages;                                               ///< by constructor: read by `sent`
};

[[nodiscard]] std::uint64_t hash_cells(const std::vector<Cell>& cells, std::uint64_t seed);
struct CellsHash {
  std::size_t operator()(const std::vector<Cell>& cells) const { return hash_cells(cells, 0); }
};

class Universe {
 public:
  Universe(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places);

  [[nodiscard]] const ir::Protocol& protocol() const { return p_; }
  [[nodiscard]] const ir::Instance& instance() const { return instance_; }
  [[nodiscard]] const Places& places() const { return places_; }
  /// Before anything is interned.
  void set_footprints(std::vector<Footprint> footprints);
  [[nodiscard]] const std::vector<Footprint>& footprints() const { return footprints_; }

  /// How many different things local states show to a check.
  [[nodiscard]] std::uint32_t projection_count(std::size_t check) const;

  std::uint32_t intern_config(std::vector<Cell> cells);
  std::uint32_t intern_local(std::uint32_t host, std::uint32_t config, const Cell* cells);
  std::uint32_t intern_message(ir::MessageId constructor, std::uint32_t sender, std::uint32_t addressee,
                               std::vector<Cell> args);

  [[nodiscard]] const Config& config(std::uint32_t id) const { return configs_[id]; }
  [[nodiscard]] std::uint32_t config_count() const { return configs_.size(); }
  [[nodiscard]] Local& local(std::uint32_t host, std::uint32_t id) const { return hosts_[host].locals[id]; }
  [[nodiscard]] std::uint32_t local_count(std::uint32_t host) const { return hosts_[host].locals.size(); }
  [[nodiscard]] const Message& message(std::uint32_t id) const { return messages_[id]; }
  [[nodiscard]] std::uint32_t message_count() const { return messages_.size(); }
  /// The messages of one constructor.
  [[nodiscard]] const StableVector<std::uint32_t>& of_constructor(std::uint32_t c) const { return by_constructor_[c]; }
  [[nodiscard]] std::uint32_t inbox_bits(std::uint32_t host) const { return hosts_[host].inbox.size(); }
  /// Which message an inbox bit belongs to.
  [[nodiscard]] std::uint32_t message_at(std::uint32_t host, std::uint32_t inbox_bit) const {
    return hosts_[host].inbox[inbox_bit];
  }

  [[nodiscard]] const Shape& shape(ir::TypeId type) const { return layouts_.shape(type); }

  // Conversions to and from the reference form.
  [[nodiscard]] std::uint32_t intern_config(const ir::Constants& constants);
  [[nodiscard]] std::uint32_t intern_local(std::uint32_t host, std::uint32_t config, const ir::Constants& constants,
                                           const ir::State& state);
  [[nodiscard]] std::uint32_t intern_packet(const ir::Packet& packet);
  [[nodiscard]] ir::Packet packet(std::uint32_t message) const;
  /// Constants as far as `local` knows them; of other hosts only shared ones.
  [[nodiscard]] ir::Constants constants_seen_by(const Local& local) const;
  /// Writes the variables of a host.
  void read_variables(const Local& local, ir::State& state) const;
  /// The cells of a host with the given variables and `like`'s constants.
  [[nodiscard]] std::vector<Cell> cells_of(const Local& like, const ir::State& state) const;
  [[nodiscard]] ir::Value value(ir::TypeId type, const Cell* cells) const {
    return layouts_.to_value(layouts_.shape(type), cells);
  }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct Key {
    std::uint32_t config;
    std::vector<Cell> cells;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return hash_cells(key.cells, key.config); }
  };
  struct Host {
    mutable std::mutex mutex;
    std::unordered_map<Key, std::uint32_t, KeyHash> ids;
    StableVector<Local> locals;
    StableVector<std::uint32_t> inbox;  ///< bit to message
  };
  void project(Local& local);
  void store(ir::TypeId type, const ir::Value& value, Cell* out) const;

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  Layouts& layouts_;
  const Places& places_;
  std::vector<Footprint> footprints_;
  std::vector<std::vector<std::uint32_t>> field_offsets_;  ///< by constructor
  std::vector<std::uint32_t> argument_cells_;              ///< by constructor
  std::vector<Host> hosts_;
  std::mutex config_mutex_;
  StableVector<Config> configs_;
  std::unordered_map<std::vector<Cell>, std::uint32_t, CellsHash> config_ids_;
  std::mutex message_mutex_;
  StableVector<Message> messages_;
  std::unordered_map<std::vector<Cell>, std::uint32_t, CellsHash> message_ids_;
  std::vector<StableVector<std::uint32_t>> by_constructor_;
  mutable std::mutex projection_mutex_;
  std::vector<std::unordered_map<std::vector<Cell>, std::uint32_t, CellsHash>> projection_ids_;  ///< by check
  std::atomic<std::uint64_t> memory_{0};

 public:
  [[nodiscard]] const std::vector<std::uint32_t>& field_offsets(ir::MessageId m) const {
    return field_offsets_[m.index()];
  }
  [[nodiscard]] std::uint32_t argument_cells(ir::MessageId m) const { return argument_cells_[m.index()]; }
};

}  // namespace tenet::explore
