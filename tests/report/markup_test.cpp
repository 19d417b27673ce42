#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "escape.h"
#include "sample_run.h"
#include "tenet/report/report.h"

namespace tenet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace pt = boost::property_tree;

pt::ptree parse_xml(const std::string& text) {
  std::istringstream in(text);
  pt::ptree tree;
  pt::read_xml(in, tree);
  return tree;
}

TEST(Escape, MarkupIsInertAndValid) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup("\x01\x1b\x7f"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_markup("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(escape_markup("ü→😀"), "ü→😀");
  // Broken, overlong and surrogate UTF-8, and what XML has no place for.
  for (const char* bad :
       {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbf"}) {
    const std::string out = escape_markup(bad);
    EXPECT_EQ(out.find("\xEF\xBF\xBD"), 0U) << out;
  }
}

TEST(Junit, CountsAndSaysWhy) {
  const pt::ptree xml = parse_xml(junit(testing::sample_run(), {}));
  const auto& suites = xml.get_child("testsuites");
  EXPECT_EQ(suites.get<int>("<xmlattr>.tests"), 3);
  EXPECT_EQ(suites.get<int>("<xmlattr>.failures"), 1);
  EXPECT_EQ(suites.get<int>("<xmlattr>.errors"), 0);
  EXPECT_EQ(suites.get<int>("<xmlattr>.skipped"), 1) << "bounded is neither green nor red";
  const auto& first = suites.get_child("testsuite.testcase");
  EXPECT_EQ(first.get<std::string>("<xmlattr>.name"), "safety exclusive");
  EXPECT_EQ(first.get<std::string>("failure.<xmlattr>.type"), "property-violated");
  EXPECT_THAT(first.get<std::string>("failure"), HasSubstr("2. Client#1 receives Grant(1) from Server"));
}

TEST(Junit, AcceptedBoundedPassesAndUnknownIsAnError) {
  result::RunResult run = testing::sample_run();
  run.accept_bounded = true;
  run.files[0].findings[0].verdict = result::Verdict::unknown;
  const pt::ptree xml = parse_xml(junit(run, {}));
  EXPECT_EQ(xml.get<int>("testsuites.<xmlattr>.skipped"), 0);
  EXPECT_EQ(xml.get<int>("testsuites.<xmlattr>.errors"), 1);
}

TEST(Junit, BadInputIsAnError) {
  result::RunResult run;
  result::Finding problem;
  problem.level = result::Level::bad_input;
  problem.rule = "unknown-property";
  problem.message = "no property 'x'";
  run.problems = {problem};
  const pt::ptree xml = parse_xml(junit(run, {}));
  EXPECT_EQ(xml.get<std::string>("testsuites.testsuite.testcase.error.<xmlattr>.message"), "no property 'x'");
}

TEST(Junit, SurvivesHostileText) { EXPECT_NO_THROW(parse_xml(junit(testing::hostile_run(), {}))); }

/// Every element that is opened is closed, in order; HTML's void elements aside.
std::string unbalanced(const std::string& html) {
  const std::regex tag("<(/?)([a-zA-Z0-9]+)([^<>]*?)(/?)>");
  const std::set<std::string> voids{"meta", "br", "link", "input", "hr", "img"};
  std::vector<std::string> open;
  // What is inside style and script is no markup.
  std::string text = std::regex_replace(html, std::regex("<(style|script)>[^]*?</\\1>"), "");
  for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (voids.count(name) != 0 || (*at)[4].length() != 0) continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> at " + std::to_string(at->position());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Html, ShowsTheTraceAsAChart) {
  const std::string page = html(testing::sample_run(), {});
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_EQ(count(page, "<line class=\"life"), 3U) << "a lifeline for each host";
  EXPECT_EQ(count(page, "<g class=\"msg\""), 2U) << "an arrow for each message received";
  EXPECT_THAT(page, HasSubstr("data-from=\"0\" data-to=\"1\""));
  EXPECT_THAT(page, HasSubstr("data-from=\"0\" data-to=\"2\""));
  EXPECT_THAT(page, HasSubstr("exclusive is false after step 3"));
  EXPECT_THAT(page, HasSubstr("<code>a = Client#1, b = Client#2</code>"));
}

TEST(Html, IsSelfContained) {
  const std::string page = html(testing::sample_run(), {});
  for (const char* what : {"http://", "https://", " src=", "@import", "url(h", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(what)));
  }
}

TEST(Html, HostileTextCannotAct) {
  const std::string page = html(testing::hostile_run(), {});
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_EQ(count(page, "<script"), 1U);
  EXPECT_THAT(page, Not(HasSubstr("alert(\"")));
  EXPECT_THAT(page, Not(HasSubstr("\x01")));
}

TEST(Html, AHugeTraceStaysLinear) {
  result::RunResult run = testing::sample_run();
  auto& trace = *run.files[0].findings[0].trace;
  const result::TraceStep grant = trace.steps[0];
  const result::TraceStep take = trace.steps[1];
  trace.steps.clear();
  for (std::size_t i = 0; i < 1000; ++i) {
    trace.steps.push_back(grant);
    trace.steps.push_back(take);
    trace.steps.back().received->sent_at = 2 * i;
  }
  const std::string page = html(run, {});
  EXPECT_EQ(count(page, "<li data-step"), 2000U);
  EXPECT_LT(page.size(), 3U << 20);
}

TEST(Html, DeterministicLeavesOutTimes) {
  Style style;
  style.deterministic = true;
  const std::string page = html(testing::sample_run(), style);
  EXPECT_THAT(page, Not(HasSubstr("0.50 s")));
  EXPECT_THAT(page, Not(HasSubstr("1.50 s")));
}

}  // namespace
}  // namespace tenet::report
