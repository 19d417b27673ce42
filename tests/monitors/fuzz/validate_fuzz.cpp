// Traces and mappings of any contents: they are judged or refused. The text before the first NUL byte is the mapping,
// if there is such a byte.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scratch_folder.h"
#include "tenet/frontend/frontend.h"
#include "tenet/validate/validate.h"

namespace {

using namespace tenet;

// Values of every kind, choices, and messages of both kinds.
constexpr const char* kProtocol = R"(protocol fuzz
enum Colour { red, green }
type Name
struct Pair { first: nat, second: option<Colour> }
message Ask(pair: Pair, names: set<Name>)
message Once(n: int) at most once
role Server single {
  const limit: nat
  var seen: map<Client, Colour> = {}
  var counts: Client -> int = 0
  var last: option<Pair> = none
  receive Ask(pair, names) from c: Client when pair.first < limit {
    last = pair
    counts[c] += |names|
    send Once(counts[c]) to c
  }
}
role Client {
  var told: int = 0
  var up: bool = false
  step ask(p: Pair, n: Name) { up = true  send Ask(p, {n}) to Server }
  receive Once(n) from s: Server { told = n }
}
)";

const ir::Protocol& protocol() {
  static const ir::Protocol loaded = [] {
    frontend::Loaded made = frontend::load_protocol(SourceFile("fuzz.tenet", kProtocol));
    if (!made.protocol) std::abort();
    return *std::move(made.protocol);
  }();
  return loaded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const testing::ScratchFolder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t split = text.find('\0');
  validate::Options options;
  options.bound = 50;
  options.executions = 2;
  options.stamp = "s";
  if (split != std::string_view::npos) {
    options.mapping = folder.write("mapping.json", std::string(text.substr(0, split)));
  }
  const std::string trace = folder.write("trace.jsonl", std::string(text.substr(split + 1)));
  const auto report = validate::validate(protocol(), {trace}, options);
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return 0;
  }
  (void)validate::to_text(*report);
  (void)validate::to_json(*report);
  if (report->explained + report->trusted > report->events) std::abort();
  // Explained means that something was.
  if (validate::exit_status(*report) == 0 && report->steps == 0) std::abort();
  return 0;
}
