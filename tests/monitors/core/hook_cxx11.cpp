// Everything of hook.h in use, compiled as C++11 without exceptions and RTTI.
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tenet/monitor/hook.h"

namespace m = tenet::monitor;

struct Vote {
  std::int64_t ballot;
  std::uint64_t value;
};
void write(m::Writer& out, const Vote& vote) noexcept {
  m::write(out, vote.ballot);
  m::write(out, vote.value);
}

m::MessageId record_all(tenet_monitor_v1_host* host, const std::set<std::uint64_t>& set,
                        const std::map<std::uint64_t, std::set<std::uint64_t>>& function) {
  m::Writer out(host, 16, 1);
  if (out) {
    m::write(out, true);
    m::write(out, m::Option<Vote>(m::none));
    m::write(out, m::Option<Vote>(Vote{1, m::hash("x", 1)}));
    m::write(out, m::Range<std::uint64_t>(set));
    const m::Function<std::uint64_t, m::Range<std::uint64_t>> total(m::Range<std::uint64_t>(), function);
    m::write(out, total);
  }
  return out.commit();
}

int main() {
  const std::set<std::uint64_t> set;
  const std::map<std::uint64_t, std::set<std::uint64_t>> function;
  return record_all(tenet_monitor_v1_begin_host(0, 0), set, function).known() ? 1 : 0;
}
