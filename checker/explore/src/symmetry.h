/// Interchangeable hosts and values: one canonical state stands for its orbit.
///
/// The group is a product of full symmetric groups, one for each block of
/// interchangeable hosts of a role or values of a sort, and of rotations of
/// roles. Two of them are interchangeable if swapping them maps the set of
/// starts to itself, and a role rotates if sending each host to the next one
/// does: the meaning of a step names no host and no value, so that then all
/// reachable states come in whole orbits. Rings, orders, axioms that single
/// somebody out: whatever tells hosts apart shows in the starts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "canvas.h"
#include "marks.h"
#include "permuter.h"

namespace tenet::explore {

/// A start as numbers: local states by host, then messages, ascending.
using StartCode = std::vector<std::uint32_t>;

class Symmetry {
 public:
  Symmetry(const ir::Protocol& protocol, const ir::Instance& instance, Universe& universe, Layouts& layouts);
  ~Symmetry();
  Symmetry(const Symmetry&) = delete;
  Symmetry& operator=(const Symmetry&) = delete;

  /// Finds out what is interchangeable. Before any canonical form.
  void detect(const std::vector<StartCode>& starts);
  [[nodiscard]] bool trivial() const { return elements_ <= 1; }
  /// Number of permutations.
  [[nodiscard]] std::uint64_t order() const { return elements_; }

  struct Element;
  /// Room to work in, one per thread.
  struct Labelling {
    std::vector<std::uint32_t> locals;      ///< by host
    std::vector<Canvas::Bit> bits;          ///< messages in flight
    std::vector<std::uint64_t> signatures;  ///< by atom
    /// By block: members, sorted by signature; of what rotates only the first counts.
    std::vector<std::vector<std::uint32_t>> order;
    std::vector<std::uint32_t> positions;
    bool beyond = false;  ///< met a number that the tables have no room for
    Element* best = nullptr;
    std::uint64_t best_hash = 0;
  };

  enum class Form : std::uint8_t {
    done,
    wider,   ///< the canonical state does not fit the packing
    refresh  ///< the tables are to be extended first
  };
  /// Replaces a packed state by the canonical one of its orbit.
  [[nodiscard]] Form canonical(const Canvas& canvas, Word* words, std::uint64_t& hash, Labelling& labelling);
  /// Makes room for what was discovered. Only while no other thread is at work.
  void refresh();
  /// Forgets every image that was found, to be found again on demand: memory
  /// that a search has better use for. Only while no other thread is at work.
  void forget();
  [[nodiscard]] std::uint64_t memory() const { return memory_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    bool of_hosts = true;
    std::uint32_t declaration = 0;       ///< role or sort
    std::vector<std::uint32_t> members;  ///< indices within it
    std::uint32_t first_atom = 0;
    std::uint64_t stride = 1;  ///< of its rank in the number of an element
    bool rotates = false;      ///< only rotations of the members are symmetries
    [[nodiscard]] std::uint64_t permutations() const;
  };

  void find_blocks(bool of_hosts, std::uint32_t declaration, std::uint32_t size, const std::vector<StartCode>& starts,
                   const std::unordered_set<std::string>& known);
  void find_rotation(std::uint32_t role, std::uint32_t size, const std::vector<StartCode>& starts,
                     const std::unordered_set<std::string>& known);
  void add(Block block);
  bool keeps(const Renaming& renaming, const std::vector<StartCode>& starts,
             const std::unordered_set<std::string>& known);
  [[nodiscard]] Renaming renaming(std::uint64_t element) const;
  Element& element(std::uint64_t number);
  std::uint32_t local_image(Element& element, std::uint32_t host, std::uint32_t id);
  std::uint32_t message_image(Element& element, std::uint32_t id);
  std::uint64_t image_hash(Element& element, Labelling& labelling);
  bool fixes(Element& swap, const Labelling& labelling);
  void arrange(std::size_t block, Labelling& labelling);
  void arrange_group(std::size_t block, std::size_t begin, Labelling& labelling);
  void arrange_rotation(std::size_t block, Labelling& labelling);
  bool interchangeable(std::size_t block, std::uint32_t a, std::uint32_t b, Labelling& labelling);
  void label(const Canvas& canvas, const Word* words, Labelling& labelling);
  [[nodiscard]] Marker marker(std::uint32_t atom) const;
  const std::uint64_t* local_marks(std::uint32_t host, std::uint32_t id);
  const std::uint64_t* message_marks(std::uint32_t id);
  const std::uint64_t* keep_marks(std::vector<std::uint64_t> marks, std::atomic<const std::uint64_t*>& slot);

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  Universe& universe_;
  Permuter permuter_;
  std::vector<Block> blocks_;
  std::uint32_t atoms_ = 0;
  std::uint64_t elements_ = 1;

  // Tables with room for `capacity` numbers each, filled in on first use.
  std::vector<std::uint32_t> local_capacity_;  ///< by host
  std::uint32_t message_capacity_ = 0;
  std::vector<std::atomic<Element*>> table_;
  using Marks = std::vector<std::atomic<const std::uint64_t*>>;
  std::vector<Marks> local_marks_;  ///< by host
  Marks message_marks_;
  std::mutex marks_mutex_;
  std::vector<std::unique_ptr<std::uint64_t[]>> kept_;
  std::atomic<std::uint64_t> memory_{0};
};

}  // namespace tenet::explore
