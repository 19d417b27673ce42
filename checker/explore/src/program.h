/// Compiled expressions: a tree of small closures over flat cells.
///
/// A compiled program only answers the ordinary case. Whatever has no value,
/// or no cells in this instance, sets `Frame::odd`; the caller then asks the
/// reference interpreter, which knows what it means.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "layout.h"

namespace tenet::explore {

/// Which messages of a constructor are in the network; for `sent`.
class NetworkView {
 public:
  NetworkView() = default;
  NetworkView(const NetworkView&) = default;
  NetworkView& operator=(const NetworkView&) = default;
  virtual ~NetworkView() = default;
  /// Whether some message of this constructor matches: null pointers match
  /// anything, a negative host matches any.
  [[nodiscard]] virtual bool sent(std::uint32_t message, const std::vector<const Cell*>& args, std::int64_t sender,
                                  std::int64_t addressee) const = 0;
};

/// What one evaluation reads and writes. One per thread.
struct Frame {
  std::vector<Cell> cells;              ///< bound locals and intermediate values
  const Cell* work = nullptr;           ///< in a step: variables and constants of the acting host
  const Cell* config = nullptr;         ///< constants that every host may read
  Cell self = 0;                        ///< in a step: index of the acting host in its role
  const Cell* const* hosts = nullptr;   ///< in a formula: cells of every host
  const Cell* const* before = nullptr;  ///< for `old`
  const NetworkView* network = nullptr;
  const NetworkView* network_before = nullptr;
  bool odd = false;  ///< no ordinary value: ask the interpreter
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;
  /// Of a scalar.
  [[nodiscard]] virtual Cell scalar(Frame&) const { return 0; }
  /// Of anything else; valid until this node is evaluated again.
  [[nodiscard]] virtual const Cell* cells(Frame&) const { return nullptr; }
};

/// A node with the shape of its value.
struct Compiled {
  const Node* node = nullptr;
  const Shape* shape = nullptr;
  [[nodiscard]] bool truth(Frame& frame) const { return node->scalar(frame) != 0; }
  [[nodiscard]] Cell scalar(Frame& frame) const { return node->scalar(frame); }
  [[nodiscard]] const Cell* cells(Frame& frame) const { return node->cells(frame); }
  /// Writes the value; `out` may overlap what the node reads.
  void store(Frame& frame, Cell* out) const;
};

/// Owns nodes and says how large their frame is.
class Program {
 public:
  template <class F>
  const Node* scalar(F function) {
    struct Scalar final : Node {
      explicit Scalar(F body) : evaluate(std::move(body)) {}
      Cell scalar(Frame& frame) const override { return evaluate(frame); }
      F evaluate;
    };
    return keep(std::make_unique<Scalar>(std::move(function)));
  }
  template <class F>
  const Node* composite(F function) {
    struct Composite final : Node {
      explicit Composite(F body) : evaluate(std::move(body)) {}
      const Cell* cells(Frame& frame) const override { return evaluate(frame); }
      F evaluate;
    };
    return keep(std::make_unique<Composite>(std::move(function)));
  }
  /// Room in the frame.
  std::uint32_t reserve(std::uint64_t cells);
  [[nodiscard]] std::uint32_t frame_cells() const { return frame_cells_; }

 private:
  const Node* keep(std::unique_ptr<Node> node) {
    nodes_.push_back(std::move(node));
    return nodes_.back().get();
  }
  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint32_t frame_cells_ = 0;
};

}  // namespace tenet::explore
