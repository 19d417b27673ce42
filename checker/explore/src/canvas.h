/// Packed states and everything needed to read and hash them.
#pragma once

#include <optional>
#include <vector>

#include "packing.h"
#include "program.h"
#include "universe.h"

namespace tenet::explore {

/// A packed state with its hash.
struct Packed {
  std::uint64_t hash = 0;
  Word words[kMaxWords];
};

/// The current packing with tables to hash by. Rebuilt when the packing
/// changes; read by all threads.
class Canvas {
 public:
  explicit Canvas(const Universe& universe) : universe_(universe) {}
  /// Adopts a packing.
  void use(const Packing& packing);
  /// Takes in local states that are new since.
  void refresh();

  [[nodiscard]] const Packing& packing() const { return packing_; }
  [[nodiscard]] std::uint64_t hash(const Word* words) const;
  /// The part of the hash that comes from messages; the rest is the sum of the
  /// hashes of the local states.
  [[nodiscard]] std::uint64_t inbox_hash(const Word* words) const;
  [[nodiscard]] std::uint64_t bit_hash(std::uint32_t position) const { return bit_hashes_[position]; }
  [[nodiscard]] Local& local(const Word* words, std::uint32_t host) const {
    return local_numbered(host, packing_.local(words, host));
  }
  [[nodiscard]] Local& local_numbered(std::uint32_t host, std::uint32_t id) const {
    const auto& known = locals_[host];
    return id < known.size() ? *known[id] : universe_.local(host, id);
  }
  [[nodiscard]] const Universe& universe() const { return universe_; }
  /// Bits of a word that belong to inboxes.
  [[nodiscard]] Word inbox_mask(std::uint32_t word) const { return inbox_mask_[word]; }
  /// Which message a bit of an inbox belongs to, and which copy of it.
  struct Bit {
    std::uint32_t message = 0, copy = 0;
  };
  [[nodiscard]] Bit bit_at(std::uint32_t position) const { return bits_[position]; }

  // To and from the reference form.
  /// Nothing if the state does not fit the packing.
  [[nodiscard]] std::optional<Packed> pack(Universe& universe, const ir::Constants& constants,
                                           const ir::State& state) const;
  [[nodiscard]] ir::State unpack(const Word* words) const;
  [[nodiscard]] ir::Constants constants(const Word* words) const;

 private:
  const Universe& universe_;
  Packing packing_;
  std::vector<std::uint64_t> bit_hashes_;  ///< by bit of the packed state; 0 outside inboxes
  std::vector<Bit> bits_;
  std::vector<Word> inbox_mask_;
  std::vector<std::vector<Local*>> locals_;  ///< by host
  std::vector<std::vector<std::uint64_t>> local_hashes_;
};

/// `sent` over a packed state.
class PackedNetwork final : public NetworkView {
 public:
  PackedNetwork(const Canvas& canvas, const Word* words) : canvas_(canvas), words_(words) {}
  void look_at(const Word* words) { words_ = words; }
  [[nodiscard]] bool sent(std::uint32_t message, const std::vector<const Cell*>& args, std::int64_t sender,
                          std::int64_t addressee) const override;

 private:
  const Canvas& canvas_;
  const Word* words_;
};

}  // namespace tenet::explore
