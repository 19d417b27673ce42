// JSON Lines of any contents, imported and checked against a few rules.
#include <cstdint>
#include <string>

#include "tenet/training/check.h"
#include "tenet/training/trace_source.h"

using namespace tenet::training;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Vocabulary vocabulary;
  InvariantSet set;
  for (const Relation relation : {Relation::contains_call, Relation::before, Relation::after, Relation::same_on_ranks,
                                  Relation::distinct, Relation::stable, Relation::each_step}) {
    Invariant i;
    i.relation = relation;
    i.subject = "f";
    i.object = "g";
    i.field = "data";
    i.kind = relation == Relation::stable ? SubjectKind::variable_type : SubjectKind::function;
    set.invariants.push_back(i);
  }
  auto source = open_traincheck_text({reinterpret_cast<const char*>(data), size}, vocabulary);
  Checker checker(vocabulary, std::move(set), {});
  while (const Record* record = source->next()) checker.feed(*record);
  (void)checker.finish();
  (void)source->report();
  return 0;
}
