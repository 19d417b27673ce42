#include <new>

#include "refusal.h"
#include "search.h"
#include "tenet/explore/explorer.h"
#include "world.h"

namespace tenet::explore {

namespace {

std::vector<ir::PropertyId> wanted_properties(const ir::Protocol& protocol, const Options& options) {
  if (!options.properties.empty()) return options.properties;
  std::vector<ir::PropertyId> all;
  for (std::size_t i = 0; i < protocol.properties.size(); ++i) all.emplace_back(i);
  return all;
}

}  // namespace

World::World(const ir::Protocol& protocol, const ir::Instance& of, const Options& options)
    : p(protocol),
      instance(of),
      properties(wanted_properties(protocol, options)),
      layouts(protocol, of),
      places(protocol, of, layouts),
      steps(protocol, of, layouts, places),
      checks(protocol, of, layouts, places, properties),
      universe(protocol, of, layouts, places),
      memos(steps, universe),
      canvas(universe),
      symmetry(protocol, of, universe, layouts) {
  universe.set_footprints(checks.footprints());
}

bool World::widen() {
  const Packing packing = Packing::fit(universe, canvas.packing().hosts() > 0 ? &canvas.packing() : nullptr);
  if (packing.words() > kMaxWords) return false;
  canvas.use(packing);
  memos.relink(packing);
  return true;
}

bool World::canonical(const Canvas& of, Packed& state) {
  if (symmetry.trivial()) return true;
  while (true) {
    switch (symmetry.canonical(of, state.words, state.hash, labelling)) {
      case Symmetry::Form::done:
        return true;
      case Symmetry::Form::wider:
        return false;
      case Symmetry::Form::refresh:
        symmetry.refresh();
    }
  }
}

Result<Report> explore(const ir::Protocol& protocol, const ir::Instance& instance, const Options& options) {
  try {
    World world(protocol, instance, options);
    Search search(world, options);
    Report report;
    if (Result<void> ran = search.run(report); !ran) return tl::unexpected<Error>(ran.error());
    return report;
  } catch (const Refusal& refusal) {
    return tl::unexpected<Error>(refusal.error);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "out of memory");
  }
}

}  // namespace tenet::explore
