// The importer for TrainCheck's JSON Lines, on the shipped run and on broken lines.
#include "tenet/training/trace_source.h"
#include "tenet/training/trace_tools.h"
#include "trace_script.h"

namespace tenet::training {
namespace {

using namespace testing;

TEST(TrainCheckImport, ReadsTheShippedRun) {
  const ScratchFolder folder;
  Vocabulary v;
  auto run = open_run(unpack_sample(folder), v);
  ASSERT_TRUE(run) << run.error().message;
  const TraceStatistics s = statistics(**run, v);
  EXPECT_EQ(s.kinds.at("enter") + s.kinds.at("exit"), 3542U);
  EXPECT_EQ(s.kinds.at("state"), 145U);
  EXPECT_EQ(s.functions.at("torch._VariableFunctionsClass.from_numpy"), 876U);
  EXPECT_EQ(s.report.skipped, 0U);
}

TEST(TrainCheckImport, ConvertsToAFewBytesARecordWithTheSameContents) {
  const ScratchFolder folder;
  const std::string sample = unpack_sample(folder);
  Vocabulary v;
  auto run = open_run(sample, v);
  ASSERT_TRUE(run);
  auto done = convert(**run, v, folder / "binary");
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->files.size(), 1U);
  EXPECT_LT(static_cast<double>(done->bytes) / static_cast<double>(done->records), 60.0);

  const auto print = [&](const std::string& path) {
    auto source = open_run(path, v);
    EXPECT_TRUE(source);
    std::string out;
    while (const Record* record = (*source)->next()) {
      out += std::to_string(static_cast<int>(record->kind)) + std::string(v.text(record->name)) +
             std::to_string(record->call);
      for (std::size_t i = 0; i < record->values.size(); ++i) {
        out += " " + std::string(v.text(record->layout->keys[i])) + "=" + to_text(record->value(i), v);
      }
      out += '\n';
    }
    return out;
  };
  EXPECT_EQ(print(sample), print(done->files[0]));
}

std::vector<std::string> names_of(const std::string& text, ReadReport* report = nullptr) {
  Vocabulary v;
  auto source = open_traincheck_text(text, v);
  std::vector<std::string> out;
  while (const Record* record = source->next()) {
    std::string line(v.text(record->name));
    for (std::size_t i = 0; i < record->values.size(); ++i) {
      line += " " + std::string(v.text(record->layout->keys[i])) + "=" + to_text(record->value(i), v);
    }
    out.push_back(line);
  }
  if (report != nullptr) *report = source->report();
  return out;
}

TEST(TrainCheckImport, UnderstandsBothPrefixesAndFlattenedFields) {
  const std::string common =
      R"("process_id":1,"thread_id":2,"type":"state_change","var_name":"m.w","var_type":"torch.nn.Parameter")";
  const auto old_names = names_of("{" + common +
                                  R"(,"time":1,"attributes":{"data":5,"_ML_DAIKON_data_ID":7,"grad":null}})"
                                  "\n");
  const auto new_names = names_of("{" + common +
                                  R"(,"time":1,"attributes":{"data":5,"_TRAINCHECK_data_ID":7,"grad":null}})"
                                  "\n");
  const auto flat =
      names_of("{" + common +
               R"(,"time":1,"attributes.data":5,"attributes._TRAINCHECK_data_ID":7,"attributes.grad":null})"
               "\n");
  ASSERT_EQ(old_names.size(), 1U);
  EXPECT_EQ(old_names, new_names);
  EXPECT_EQ(old_names, flat);
  EXPECT_EQ(old_names[0], "m.w data=0x0000000000000005 data.id=0x0000000000000007 grad=none");
}

TEST(TrainCheckImport, ContextIsRecordedWhenItChanges) {
  const auto line = [](int time, const std::string& meta) {
    return R"x({"process_id":1,"thread_id":2,"type":"function_call (pre)","function":"f","func_call_id":"a_)x" +
           std::to_string(time) + R"(","time":)" + std::to_string(time) + R"(,"meta_vars":)" + meta + "}\n";
  };
  const auto names = names_of(line(1, R"({"step":1,"stage":"training"})") +
                              line(2, R"({"step":1,"stage":"training"})") + line(3, R"({"step":2})"));
  EXPECT_EQ(names, (std::vector<std::string>{"step =1", "stage =training", "f", "f", "stage =none", "step =2", "f"}));
}

TEST(TrainCheckImport, BrokenLinesAreCountedAndPassedOver) {
  ReadReport report;
  const auto names = names_of(
      "not json\n"
      "{\"type\":\"function_call (pre)\"}\n"
      "[1,2]\n"
      "\n"
      R"x({"process_id":1,"thread_id":2,"type":"function_call (pre)","function":"good","func_call_id":"x","time":5})x"
      "\n"
      R"x({"process_id":1,"thread_id":2,"type":"function_call (pre)","function":"cut)x",
      &report);
  EXPECT_EQ(names, std::vector<std::string>{"good"});
  EXPECT_EQ(report.skipped, 4U);
  EXPECT_EQ(report.problems.size(), 2U);
}

}  // namespace
}  // namespace tenet::training
