#include "tenet/gate/gate.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "commands.h"
#include "default_memory.h"
#include "output.h"
#include "session.h"
#include "tenet/base/file.h"

namespace tenet::cli {
namespace {

constexpr int kBadInput = 3;

int refuse(const Error& error) {
  complain_of(error.message);
  return exit_status(error.kind);
}

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

Result<std::vector<gate::ShardFile>> read_files(const std::vector<std::string>& paths) {
  std::vector<gate::ShardFile> files;
  for (const std::string& path : paths) {
    auto text = read_file(path);
    if (!text) return tl::make_unexpected(text.error());
    files.push_back({path, std::move(*text)});
  }
  return files;
}

Result<gate::Outcome> work(const GateArguments& arguments, const gate::Options& options) {
  if (arguments.merge.empty()) return gate::run(options);
  const auto files = read_files(arguments.merge);
  if (!files) return tl::make_unexpected(files.error());
  return gate::merge(options, *files);
}

int deliver_gate(const gate::Outcome& outcome, const GateArguments& arguments) {
  int status = gate::exit_status(outcome);
  const auto write = [&](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    const auto written = write_file(path, text);
    if (written) return;
    complain_of(written.error().message);
    status = std::max(status, kBadInput);
  };
  if (!arguments.shard_file.empty()) write(arguments.shard_file, gate::shard_text(outcome));
  if (!arguments.sarif.empty()) write(arguments.sarif, gate::sarif(outcome));
  if (!arguments.summary.empty()) write(arguments.summary, gate::markdown(outcome));
  const auto places = {arguments.shard_file, arguments.sarif, arguments.summary};
  if (std::find(places.begin(), places.end(), "-") == places.end()) write("-", gate::text(outcome));
  return status;
}

}  // namespace

int run_gate(const GateArguments& arguments) {
  gate::Options options;
  options.repository = arguments.repository;
  options.base = arguments.base;
  options.head = arguments.head;
  if (!arguments.shard.empty()) {
    const auto shard = gate::read_shard(arguments.shard, environment);
    if (!shard) return refuse(shard.error());
    options.shard = *shard;
  }
  options.verify.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.verify.memory_bytes = arguments.memory != 0 ? arguments.memory : default_memory();
  Session session(options.verify, !arguments.no_cache, arguments.quiet);
  const auto outcome = work(arguments, options);
  session.over();
  return outcome ? deliver_gate(*outcome, arguments) : refuse(outcome.error());
}

}  // namespace tenet::cli
