#include "symmetry.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <unordered_map>

namespace tenet::explore {

namespace {

/// More permutations than this are not worth their tables: blocks get smaller.
constexpr std::uint64_t kMostElements = 50'000;
constexpr std::uint32_t kUnknown = 0;

std::uint64_t factorial(std::size_t n) { return n <= 1 ? 1 : n * factorial(n - 1); }

/// Rank of an arrangement among all of its length.
std::uint64_t rank(const std::vector<std::uint32_t>& arrangement) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < arrangement.size(); ++i) {
    std::uint64_t smaller = 0;
    for (std::size_t j = i + 1; j < arrangement.size(); ++j) smaller += arrangement[j] < arrangement[i] ? 1U : 0U;
    result += smaller * factorial(arrangement.size() - 1 - i);
  }
  return result;
}

std::vector<std::uint32_t> unrank(std::uint64_t number, std::size_t size) {
  std::vector<std::uint32_t> left(size);
  std::iota(left.begin(), left.end(), 0U);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t weight = factorial(size - 1 - i);
    const auto place = left.begin() + static_cast<std::ptrdiff_t>(number / weight);
    number %= weight;
    result.push_back(*place);
    left.erase(place);
  }
  return result;
}

std::string key_of(const StartCode& code) {
  std::string key(code.size() * sizeof(std::uint32_t), '\0');
  std::memcpy(key.data(), code.data(), key.size());
  return key;
}

}  // namespace

/// One permutation with the images that are known: number + 1, or kUnknown.
struct Symmetry::Element {
  Renaming renaming;
  std::vector<std::uint32_t> host;  ///< where each host goes
  std::vector<std::vector<std::atomic<std::uint32_t>>> locals;
  std::vector<std::atomic<std::uint32_t>> messages;
};

Symmetry::Symmetry(const ir::Protocol& protocol, const ir::Instance& instance, Universe& universe, Layouts& layouts)
    : p_(protocol), instance_(instance), universe_(universe), permuter_(universe, layouts) {}

Symmetry::~Symmetry() {
  for (auto& element : table_) delete element.load();
}

std::uint64_t Symmetry::Block::permutations() const { return rotates ? members.size() : factorial(members.size()); }

bool Symmetry::keeps(const Renaming& renaming, const std::vector<StartCode>& starts,
                     const std::unordered_set<std::string>& known) {
  const std::uint32_t hosts = universe_.places().host_count();
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> images(hosts);  // starts share few local states
  for (const StartCode& start : starts) {
    StartCode image(start.size());
    for (std::uint32_t host = 0; host < hosts; ++host) {
      const auto [entry, is_new] = images[host].try_emplace(start[host]);
      if (is_new) entry->second = permuter_.local(universe_.local(host, start[host]), renaming);
      image[permuter_.host(host, renaming)] = entry->second;
    }
    for (std::size_t i = hosts; i < start.size(); ++i) image[i] = permuter_.message(start[i], renaming);
    std::sort(image.begin() + hosts, image.end());
    if (!known.contains(key_of(image))) return false;
  }
  return true;
}

void Symmetry::add(Block block) {
  block.first_atom = atoms_;
  block.stride = elements_;
  atoms_ += static_cast<std::uint32_t>(block.members.size());
  elements_ *= block.permutations();
  blocks_.push_back(std::move(block));
}

void Symmetry::find_blocks(bool of_hosts, std::uint32_t declaration, std::uint32_t size,
                           const std::vector<StartCode>& starts, const std::unordered_set<std::string>& known) {
  std::vector<bool> placed(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (placed[i]) continue;
    Block block{of_hosts, declaration, {i}};
    for (std::uint32_t j = i + 1; j < size; ++j) {
      if (placed[j]) continue;
      Renaming swap = Renaming::identity(p_, instance_);
      auto& numbers = of_hosts ? swap.hosts[declaration] : swap.sorts[declaration];
      std::swap(numbers[i], numbers[j]);
      if (elements_ * factorial(block.members.size() + 1) > kMostElements) break;
      if (!keeps(swap, starts, known)) continue;
      block.members.push_back(j);
      placed[j] = true;
    }
    if (block.members.size() >= 2) add(std::move(block));
  }
}

/// Hosts of which no two are interchangeable may still be so all at once, as
/// on a ring.
void Symmetry::find_rotation(std::uint32_t role, std::uint32_t size, const std::vector<StartCode>& starts,
                             const std::unordered_set<std::string>& known) {
  if (size < 3 || elements_ * size > kMostElements) return;
  Renaming rotation = Renaming::identity(p_, instance_);
  auto& numbers = rotation.hosts[role];
  std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end());
  if (!keeps(rotation, starts, known)) return;
  Block block{true, role, std::vector<std::uint32_t>(size)};
  std::iota(block.members.begin(), block.members.end(), 0U);
  block.rotates = true;
  add(std::move(block));
}

void Symmetry::detect(const std::vector<StartCode>& starts) {
  std::unordered_set<std::string> known;
  for (const StartCode& start : starts) known.insert(key_of(start));
  for (std::size_t i = 0; i < p_.roles.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(instance_.hosts(ir::RoleId(i)));
    if (p_.roles[i].single) continue;
    const std::size_t before = blocks_.size();
    find_blocks(true, static_cast<std::uint32_t>(i), size, starts, known);
    if (blocks_.size() == before) find_rotation(static_cast<std::uint32_t>(i), size, starts, known);
  }
  for (std::size_t i = 0; i < p_.sorts.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(instance_.sort_size(ir::SortId(i)));
    if (!p_.sorts[i].ordered) find_blocks(false, static_cast<std::uint32_t>(i), size, starts, known);
  }
  table_ = std::vector<std::atomic<Element*>>(elements_);
  refresh();
}

Renaming Symmetry::renaming(std::uint64_t element) const {
  Renaming result = Renaming::identity(p_, instance_);
  for (const Block& block : blocks_) {
    const std::size_t size = block.members.size();
    const std::uint64_t number = element / block.stride % block.permutations();
    std::vector<std::uint32_t> to = block.rotates ? unrank(0, size) : unrank(number, size);
    if (block.rotates) std::rotate(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(number), to.end());
    auto& numbers = block.of_hosts ? result.hosts[block.declaration] : result.sorts[block.declaration];
    for (std::size_t i = 0; i < size; ++i) numbers[block.members[i]] = block.members[to[i]];
  }
  return result;
}

Symmetry::Element& Symmetry::element(std::uint64_t number) {
  std::atomic<Element*>& slot = table_[number];
  if (Element* known = slot.load(std::memory_order_acquire)) return *known;
  auto made = std::make_unique<Element>();
  made->renaming = renaming(number);
  const std::uint32_t hosts = universe_.places().host_count();
  std::uint64_t bytes = sizeof(Element) + message_capacity_ * sizeof(std::uint32_t);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    made->host.push_back(permuter_.host(host, made->renaming));
    made->locals.emplace_back(local_capacity_[host]);
    bytes += local_capacity_[host] * sizeof(std::uint32_t);
  }
  made->messages = std::vector<std::atomic<std::uint32_t>>(message_capacity_);
  Element* expected = nullptr;
  if (!slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *expected;
  memory_ += bytes;
  return *made.release();
}

void Symmetry::refresh() {
  if (trivial()) return;
  const std::uint32_t hosts = universe_.places().host_count();
  bool grown = local_capacity_.size() != hosts || universe_.message_count() * 4 > message_capacity_ * 3;
  local_capacity_.resize(hosts);
  for (std::uint32_t host = 0; host < hosts; ++host)
    grown |= universe_.local_count(host) * 4 > local_capacity_[host] * 3;
  if (!grown) return;
  const auto room = [](std::uint32_t count) { return count * 2 + 64; };
  for (std::uint32_t host = 0; host < hosts; ++host) local_capacity_[host] = room(universe_.local_count(host));
  message_capacity_ = room(universe_.message_count());
  // Images are cheap to find again; starting over keeps this simple.
  forget();
}

void Symmetry::forget() {
  if (trivial()) return;
  for (auto& slot : table_) delete slot.exchange(nullptr);
  local_marks_.clear();
  for (const std::uint32_t capacity : local_capacity_) local_marks_.emplace_back(capacity);
  message_marks_ = Marks(message_capacity_);
  kept_.clear();
  std::uint64_t slots = table_.size() + message_capacity_;
  for (const std::uint32_t capacity : local_capacity_) slots += capacity;
  memory_ = slots * sizeof(void*);
}

std::uint32_t Symmetry::local_image(Element& element, std::uint32_t host, std::uint32_t id) {
  std::atomic<std::uint32_t>& slot = element.locals[host][id];
  const std::uint32_t known = slot.load(std::memory_order_acquire);
  if (known != kUnknown) return known - 1;
  const std::uint32_t image = permuter_.local(universe_.local(host, id), element.renaming);
  slot.store(image + 1, std::memory_order_release);
  return image;
}

std::uint32_t Symmetry::message_image(Element& element, std::uint32_t id) {
  std::atomic<std::uint32_t>& slot = element.messages[id];
  const std::uint32_t known = slot.load(std::memory_order_acquire);
  if (known != kUnknown) return known - 1;
  const std::uint32_t image = permuter_.message(id, element.renaming);
  slot.store(image + 1, std::memory_order_release);
  return image;
}

std::uint64_t Symmetry::image_hash(Element& element, Labelling& labelling) {
  std::uint64_t sum = 0;
  for (std::uint32_t host = 0; host < labelling.locals.size(); ++host) {
    sum += universe_.local(element.host[host], local_image(element, host, labelling.locals[host])).hash;
  }
  for (const Canvas::Bit bit : labelling.bits) {
    sum += universe_.message(message_image(element, bit.message)).copy_hash(bit.copy);
  }
  return sum;
}

/// Whether a swap maps the state to itself.
bool Symmetry::fixes(Element& swap, const Labelling& labelling) {
  for (std::uint32_t host = 0; host < labelling.locals.size(); ++host) {
    if (local_image(swap, host, labelling.locals[host]) != labelling.locals[swap.host[host]]) return false;
  }
  return std::all_of(labelling.bits.begin(), labelling.bits.end(), [&](const Canvas::Bit bit) {
    const std::uint32_t image = message_image(swap, bit.message);
    return image == bit.message ||
           std::any_of(labelling.bits.begin(), labelling.bits.end(),
                       [&](const Canvas::Bit other) { return other.message == image && other.copy == bit.copy; });
  });
}

const std::uint64_t* Symmetry::keep_marks(std::vector<std::uint64_t> marks, std::atomic<const std::uint64_t*>& slot) {
  const std::lock_guard lock(marks_mutex_);
  if (const std::uint64_t* known = slot.load(std::memory_order_relaxed)) return known;
  kept_.push_back(std::make_unique<std::uint64_t[]>(atoms_));
  std::copy(marks.begin(), marks.end(), kept_.back().get());
  memory_ += atoms_ * sizeof(std::uint64_t) + 64;
  slot.store(kept_.back().get(), std::memory_order_release);
  return kept_.back().get();
}

const std::uint64_t* Symmetry::local_marks(std::uint32_t host, std::uint32_t id) {
  std::atomic<const std::uint64_t*>& slot = local_marks_[host][id];
  if (const std::uint64_t* known = slot.load(std::memory_order_acquire)) return known;
  std::vector<std::uint64_t> marks;
  for (std::uint32_t atom = 0; atom < atoms_; ++atom) {
    marks.push_back(marker(atom).local(universe_.local(host, id)));
  }
  return keep_marks(std::move(marks), slot);
}

const std::uint64_t* Symmetry::message_marks(std::uint32_t id) {
  std::atomic<const std::uint64_t*>& slot = message_marks_[id];
  if (const std::uint64_t* known = slot.load(std::memory_order_acquire)) return known;
  std::vector<std::uint64_t> marks;
  for (std::uint32_t atom = 0; atom < atoms_; ++atom) marks.push_back(marker(atom).message(universe_.message(id)));
  return keep_marks(std::move(marks), slot);
}

/// Marks one atom as "it" and the others of all blocks as "some other".
Marker Symmetry::marker(std::uint32_t atom) const {
  return {universe_, [this, atom](bool host, std::uint32_t declaration, std::uint32_t index) -> std::uint64_t {
            for (std::size_t b = 0; b < blocks_.size(); ++b) {
              const Block& block = blocks_[b];
              if (block.of_hosts != host || block.declaration != declaration) continue;
              const auto member = std::find(block.members.begin(), block.members.end(), index);
              if (member == block.members.end()) continue;
              const auto own = block.first_atom + static_cast<std::uint32_t>(member - block.members.begin());
              return (std::uint64_t{1} << 40) + b * 2 + (own == atom ? 1 : 0);
            }
            return index;  // fixed by every permutation
          }};
}

/// Signatures of all atoms, and the members of each block sorted by them.
void Symmetry::label(const Canvas& canvas, const Word* words, Labelling& labelling) {
  const Packing& packing = canvas.packing();
  labelling.signatures.assign(atoms_, 0);
  labelling.locals.clear();
  labelling.bits.clear();
  const auto add = [&](const std::uint64_t* marks, std::uint64_t factor) {
    for (std::uint32_t atom = 0; atom < atoms_; ++atom) labelling.signatures[atom] += marks[atom] * factor;
  };
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) {
    const std::uint32_t id = packing.local(words, host);
    labelling.beyond |= id >= local_capacity_[host];
    if (labelling.beyond) return;
    labelling.locals.push_back(id);
    add(local_marks(host, id), 1);
  }
  for (std::uint32_t w = 0; w < packing.words(); ++w) {
    for (Word rest = words[w] & canvas.inbox_mask(w); rest != 0; rest &= rest - 1) {
      const Canvas::Bit bit = canvas.bit_at(w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
      labelling.beyond |= bit.message >= message_capacity_;
      if (labelling.beyond) return;
      labelling.bits.push_back(bit);
      add(message_marks(bit.message), 2 * std::uint64_t{bit.copy} + 1);
    }
  }
  labelling.order.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    auto& order = labelling.order[b];
    order.resize(blocks_[b].members.size());
    std::iota(order.begin(), order.end(), 0U);
    const std::uint64_t* signatures = labelling.signatures.data() + blocks_[b].first_atom;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t x, std::uint32_t y) { return signatures[x] < signatures[y]; });
  }
}

bool Symmetry::interchangeable(std::size_t b, std::uint32_t x, std::uint32_t y, Labelling& labelling) {
  std::vector<std::uint32_t> swap(blocks_[b].members.size());
  std::iota(swap.begin(), swap.end(), 0U);
  std::swap(swap[x], swap[y]);
  return fixes(element(rank(swap) * blocks_[b].stride), labelling);
}

/// Tries every arrangement of what the signatures leave open in the blocks
/// from `block` on; members that a swap shows to be alike are tried once.
void Symmetry::arrange(std::size_t block, Labelling& labelling) {
  if (block < blocks_.size()) {
    return blocks_[block].rotates ? arrange_rotation(block, labelling) : arrange_group(block, 0, labelling);
  }
  std::uint64_t number = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].rotates) {
      // The member that comes first moves to place 0, the others after it.
      const std::size_t size = blocks_[b].members.size();
      number += (size - labelling.order[b].front()) % size * blocks_[b].stride;
      continue;
    }
    labelling.positions.resize(labelling.order[b].size());
    for (std::uint32_t i = 0; i < labelling.order[b].size(); ++i) labelling.positions[labelling.order[b][i]] = i;
    number += rank(labelling.positions) * blocks_[b].stride;
  }
  Element& tried = element(number);
  const std::uint64_t hash = image_hash(tried, labelling);
  if (labelling.best != nullptr && labelling.best_hash <= hash) return;
  labelling.best = &tried;
  labelling.best_hash = hash;
}

void Symmetry::arrange_group(std::size_t block, std::size_t at, Labelling& labelling) {
  auto& order = labelling.order[block];
  const std::uint64_t* signatures = labelling.signatures.data() + blocks_[block].first_atom;
  if (at == order.size()) return arrange(block + 1, labelling);
  std::size_t end = at + 1;
  while (end < order.size() && signatures[order[end]] == signatures[order[at]]) ++end;
  std::vector<std::uint32_t> tried;
  const std::vector<std::uint32_t> before = order;
  for (std::size_t i = at; i < end; ++i) {
    const std::uint32_t member = before[i];
    const auto alike = [&](std::uint32_t other) { return interchangeable(block, member, other, labelling); };
    if (std::any_of(tried.begin(), tried.end(), alike)) continue;
    tried.push_back(member);
    order = before;
    std::swap(order[at], order[i]);
    arrange_group(block, at + 1, labelling);
  }
  order = before;
}

/// Begins with every member whose signature is the least.
void Symmetry::arrange_rotation(std::size_t block, Labelling& labelling) {
  auto& order = labelling.order[block];
  const std::uint64_t* signatures = labelling.signatures.data() + blocks_[block].first_atom;
  const std::vector<std::uint32_t> before = order;
  for (const std::uint32_t member : before) {
    if (signatures[member] != signatures[before.front()]) break;
    order.front() = member;
    arrange(block + 1, labelling);
  }
  order = before;
}

Symmetry::Form Symmetry::canonical(const Canvas& canvas, Word* words, std::uint64_t& hash, Labelling& labelling) {
  labelling.beyond = false;
  labelling.best = nullptr;
  label(canvas, words, labelling);
  if (labelling.beyond) return Form::refresh;
  arrange(0, labelling);
  const Packing& packing = canvas.packing();
  Element& best = *labelling.best;
  std::fill_n(words, packing.words(), 0);
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) {
    const std::uint32_t image = local_image(best, host, labelling.locals[host]);
    if (!packing.fits_local(best.host[host], image)) return Form::wider;
    packing.set_local(words, best.host[host], image);
  }
  for (const Canvas::Bit bit : labelling.bits) {
    const Message& image = universe_.message(message_image(best, bit.message));
    if (!packing.fits(image)) return Form::wider;
    const std::uint32_t place = packing.bit(image) + bit.copy;
    words[place / 64] |= Word{1} << (place % 64);
  }
  hash = labelling.best_hash;
  return Form::done;
}

}  // namespace tenet::explore
