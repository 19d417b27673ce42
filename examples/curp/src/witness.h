/// A witness: a table of requests that commute, in a file, for one list at a time.
///
/// The table is four-way set-associative (section 4.1 of the paper): a request can be in one of the four slots of the
/// set that its key's hash names. The file has a header block and a block for each slot; a slot counts if its list is
/// the header's, so a new list empties the table by one write.
#pragma once

#include <optional>
#include <unordered_map>

#include "context.h"
#include "tell.h"

namespace curp {

class Witness {
 public:
  Witness(Context& context, const Cluster& cluster, std::uint32_t index);
  /// Empty, or why it cannot begin.
  [[nodiscard]] std::string open(Disk& disk);
  void receive(const Message& message);

 private:
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kSets = 1024;
  static constexpr std::size_t kBlock = 512;

  template <class Event>
  spec::MessageId tell(Event event);
  [[nodiscard]] std::vector<Request> saved() const;
  [[nodiscard]] bool write_header();
  [[nodiscard]] bool write_slot(std::size_t slot);
  void on(const Record& record, const Message& message);
  void on(const Collect& collect, const Message& message);
  void on(const Start& start, const Message& message);
  void on(const Freeze& freeze, const Message& message);
  void accept(const Record& record, const Message& message, spec::MessageId step);
  void refuse(const Record& record, const Message& message, Why why);
  void alive();

  Context& context_;
  const Cluster& cluster_;
  std::uint32_t index_;
  spec::WitnessMonitor monitor_;
  BlockFile file_;
  std::uint64_t list_ = 0;
  bool frozen_ = false;
  std::vector<std::optional<Request>> slots_ = std::vector<std::optional<Request>>(kWays * kSets);
  std::unordered_map<std::string, Microseconds> in_the_way_;  ///< since when a saved request of this key has been
};

}  // namespace curp
