/// Reads back the scripts that `to_smtlib` writes.
#include <fmt/format.h>

#include <algorithm>

#include <map>
#include <optional>
#include <utility>

#include "sexpr.h"
#include "tenet/smt/query.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

constexpr std::size_t kLargestScript = 256U << 20;
constexpr std::string_view kNote = ":note-";
/// Nested deeper than this is nothing that was written here.
constexpr int kDeepest = 4000;

/// What is wrong with the text; never leaves this file.
struct Wrong {
  std::string what;
};

class Reader {
 public:
  explicit Reader(TermManager& manager) : tm_(manager) {}

  void command(const SExpr& expr, std::size_t line);
  Script script;

 private:
  using Locals = std::map<std::string, Term>;

  static const SExpr& at(const SExpr& expr, std::size_t index) {
    if (!expr.is_list() || index >= expr.items.size()) throw Wrong{"something is missing"};
    return expr.items[index];
  }
  static const std::string& symbol(const SExpr& expr) {
    if (!expr.is_symbol()) throw Wrong{"a name is missing"};
    return expr.value;
  }
  /// As it was before it was printed.
  static std::string plain(const std::string& printed) {
    if (printed.size() < 2 || printed[0] != '$') throw Wrong{"'" + printed + "' is no name of a certificate"};
    return printed.substr(1);
  }
  Sort sort(const SExpr& expr);
  void declare_datatype(const SExpr& expr);
  void declare_function(const SExpr& expr);
  void assertion(const SExpr& expr, std::size_t line);
  void note(const SExpr& expr);
  Term term(const SExpr& expr, const Locals& locals, int depth);
  Term atom(const SExpr& expr, const Locals& locals);
  Term operation(const SExpr& expr, const Locals& locals, int depth);
  Term quantifier(const SExpr& expr, const Locals& locals, int depth);
  std::vector<std::pair<std::string, Term>> variables(const SExpr& list);

  TermManager& tm_;
  std::map<std::string, Sort> sorts_{
      {"Bool", tm_.boolean_sort()}, {"Int", tm_.integer_sort()}, {"Real", tm_.real_sort()}};
  std::map<std::string, Function> functions_;
  std::map<std::string, Term> members_;
};

Sort Reader::sort(const SExpr& expr) {
  const auto found = sorts_.find(symbol(expr));
  if (found == sorts_.end()) throw Wrong{"'" + expr.value + "' is no sort"};
  return found->second;
}

/// (declare-datatypes ((S 0)) (((a) (b))))
void Reader::declare_datatype(const SExpr& expr) {
  const std::string name = symbol(at(at(at(expr, 1), 0), 0));
  const SExpr& cases = at(at(expr, 2), 0);
  if (!cases.is_list() || cases.items.empty() || sorts_.contains(name)) throw Wrong{"no enumeration"};
  std::vector<std::string> members;
  for (const SExpr& each : cases.items) {
    std::string member = plain(symbol(at(each, 0)));
    if (member.starts_with(plain(name) + ".")) member.erase(0, plain(name).size() + 1);
    if (std::find(members.begin(), members.end(), member) != members.end()) throw Wrong{"a member twice"};
    members.push_back(std::move(member));
  }
  const Sort made = tm_.enumeration(plain(name), members);
  sorts_.emplace(name, made);
  for (std::size_t i = 0; i < cases.items.size(); ++i) {
    if (!members_.emplace(cases.items[i].items[0].value, tm_.enumerator(made, i)).second) throw Wrong{"a member twice"};
  }
}

void Reader::declare_function(const SExpr& expr) {
  const std::string& name = symbol(at(expr, 1));
  std::vector<Sort> domain;
  if (!at(expr, 2).is_list()) throw Wrong{"a list of sorts is missing"};
  for (const SExpr& each : expr.items[2].items) domain.push_back(sort(each));
  const Function made = tm_.function(plain(name), std::move(domain), sort(at(expr, 3)));
  if (!functions_.emplace(name, made).second) throw Wrong{"'" + name + "' is declared twice"};
  script.functions.push_back(made);
}

std::vector<std::pair<std::string, Term>> Reader::variables(const SExpr& list) {
  if (!list.is_list()) throw Wrong{"variables are missing"};
  std::vector<std::pair<std::string, Term>> made;
  for (const SExpr& each : list.items) {
    const std::string& name = symbol(at(each, 0));
    made.emplace_back(name, tm_.variable(name, sort(at(each, 1))));
  }
  return made;
}

Term Reader::atom(const SExpr& expr, const Locals& locals) {
  if (const auto found = locals.find(expr.value); found != locals.end()) return found->second;
  if (const auto found = members_.find(expr.value); found != members_.end()) return found->second;
  if (const auto found = functions_.find(expr.value); found != functions_.end()) {
    if (!found->second.domain().empty()) throw Wrong{"'" + expr.value + "' without its arguments"};
    return tm_.apply(found->second, {});
  }
  if (expr.value == "true" || expr.value == "false") return tm_.boolean(expr.value == "true");
  const bool digits =
      !expr.value.empty() && expr.value.size() < 19 && expr.value.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || expr.kind != SExpr::Kind::atom) throw Wrong{"'" + expr.value + "' is not declared"};
  return tm_.integer(std::stoll(expr.value));
}

Term Reader::quantifier(const SExpr& expr, const Locals& locals, int depth) {
  Locals inner = locals;
  std::vector<Term> bound;
  for (auto& [name, variable] : variables(at(expr, 1))) {
    bound.push_back(variable);
    inner.insert_or_assign(name, variable);
  }
  const Term body = term(at(expr, 2), inner, depth);
  if (!body.sort().is_boolean()) throw Wrong{"a quantifier over what is no formula"};
  return expr.items[0].value == "forall" ? tm_.forall(bound, body) : tm_.exists(bound, body);
}

Term Reader::operation(const SExpr& expr, const Locals& locals, int depth) {
  const std::string& name = expr.items[0].value;
  std::vector<Term> args;
  for (std::size_t i = 1; i < expr.items.size(); ++i) args.push_back(term(expr.items[i], locals, depth));
  const std::size_t n = args.size();
  const auto must = [&](bool is) {
    if (!is) throw Wrong{"the arguments of '" + name + "' do not fit"};
  };
  if (const auto found = functions_.find(name); found != functions_.end()) {
    const std::vector<Sort>& domain = found->second.domain();
    must(n == domain.size() && n > 0);
    for (std::size_t i = 0; i < n; ++i) must(args[i].sort() == domain[i]);
    return tm_.apply(found->second, args);
  }
  const auto all = [&](auto is) { return std::all_of(args.begin(), args.end(), is); };
  const bool booleans = all([](Term arg) { return arg.sort().is_boolean(); });
  const bool integers = all([](Term arg) { return arg.sort().kind() == SortKind::integer; });
  if (name == "not") {
    must(n == 1 && booleans);
    return tm_.not_(args[0]);
  }
  if (name == "and" || name == "or") {
    must(n > 0 && booleans);
    return name == "and" ? tm_.and_(args) : tm_.or_(args);
  }
  if (name == "=>") {
    must(n == 2 && booleans);
    return tm_.implies(args[0], args[1]);
  }
  if (name == "ite") {
    must(n == 3 && args[0].sort().is_boolean() && args[1].sort() == args[2].sort());
    return tm_.ite(args[0], args[1], args[2]);
  }
  if (name == "=") {
    must(n == 2 && args[0].sort() == args[1].sort());
    return tm_.eq(args[0], args[1]);
  }
  if (name == "distinct") {
    must(n > 1 && all([&](Term arg) { return arg.sort() == args[0].sort(); }));
    return tm_.distinct(args);
  }
  must(n > 0 && integers);
  if (name == "<" || name == "<=") {
    must(n == 2);
    return name == "<" ? tm_.lt(args[0], args[1]) : tm_.le(args[0], args[1]);
  }
  if (name == "+") return tm_.add(args);
  if (name == "-") {
    must(n < 3);
    return n == 1 ? tm_.neg(args[0]) : tm_.sub(args[0], args[1]);
  }
  if (name == "*") {
    must(n == 2 && args[0].kind() == Kind::number);
    return tm_.mul(args[0].number(), args[1]);
  }
  throw Wrong{"'" + name + "' is not known"};
}

Term Reader::term(const SExpr& expr, const Locals& locals, int depth) {
  if (depth > kDeepest) throw Wrong{"a term that is nested too deeply"};
  if (expr.is_symbol()) return atom(expr, locals);
  if (!expr.is_list() || expr.items.empty() || !expr.items[0].is_symbol()) throw Wrong{"no term"};
  const std::string& head = expr.items[0].value;
  if (head == "let") {
    Locals inner = locals;
    if (!at(expr, 1).is_list()) throw Wrong{"no term"};
    for (const SExpr& binding : expr.items[1].items) {
      inner.insert_or_assign(symbol(at(binding, 0)), term(at(binding, 1), locals, depth + 1));
    }
    return term(at(expr, 2), inner, depth + 1);
  }
  if (head == "!") return term(at(expr, 1), locals, depth + 1);
  if (head == "forall" || head == "exists") return quantifier(expr, locals, depth + 1);
  return operation(expr, locals, depth + 1);
}

/// (assert (! term :named name)) or (assert term)
void Reader::assertion(const SExpr& expr, std::size_t line) {
  const SExpr& said = at(expr, 1);
  Script::Line made;
  made.line = line;
  made.assertion.term = term(said, {}, 0);
  if (!made.assertion.term.sort().is_boolean()) throw Wrong{"what is asserted is no formula"};
  if (said.is_list() && said.items.size() == 4 && said.items[0].is_atom("!") && said.items[2].is_atom(":named")) {
    const std::string& name = symbol(said.items[3]);
    made.assertion.name = name.starts_with('&') ? name.substr(1) : name;
  }
  script.assertions.push_back(std::move(made));
}

/// "(symbol ((variable sort)…) part…)"
void Reader::note(const SExpr& expr) {
  SExprReader inside(kLargestScript);
  inside.feed(at(expr, 2).value + "\n");
  const std::optional<SExpr> said = inside.next();
  if (!said || said->items.size() < 2) throw Wrong{"a note that cannot be read"};
  Note made;
  made.about = expr.items[1].value.substr(kNote.size());
  const bool whole = said->items[0].is_list() && said->items[0].items.empty();
  if (!whole) made.symbol = term(said->items[0], {}, 0);
  Locals locals;
  for (auto& [name, variable] : variables(said->items[1])) {
    made.variables.push_back(variable);
    locals.emplace(name, variable);
  }
  for (std::size_t i = 2; i < said->items.size(); ++i) made.parts.push_back(term(said->items[i], locals, 0));
  script.notes.push_back(std::move(made));
}

void Reader::command(const SExpr& expr, std::size_t line) {
  const std::string& name = symbol(at(expr, 0));
  if (script.asks) throw Wrong{"something after (check-sat)"};
  if (name == "set-logic") return;
  if (name == "set-info") {
    if (symbol(at(expr, 1)).starts_with(kNote)) note(expr);
    return;
  }
  if (name == "declare-sort") {
    const std::string& declared = symbol(at(expr, 1));
    if (!sorts_.emplace(declared, tm_.uninterpreted(plain(declared))).second) throw Wrong{"a sort twice"};
    return;
  }
  if (name == "declare-datatypes") return declare_datatype(expr);
  if (name == "declare-fun") return declare_function(expr);
  if (name == "assert") return assertion(expr, line);
  if (name == "check-sat") {
    script.asks = true;
    return;
  }
  throw Wrong{"'" + name + "' has no place in a certificate"};
}

}  // namespace

Result<Script> read_smtlib(std::string_view text, TermManager& manager) {
  Reader reader(manager);
  SExprReader expressions(kLargestScript);
  std::size_t line = 0;
  const auto wrong = [&line](const std::string& what) {
    return failure(ErrorKind::bad_input, fmt::format("line {}: {}", line, what));
  };
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    expressions.feed(text.substr(0, end));
    expressions.feed("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      while (const std::optional<SExpr> expr = expressions.next()) reader.command(*expr, line);
    } catch (const Wrong& error) {
      return wrong(error.what);
    }
    if (!expressions.error().empty()) return wrong(expressions.error());
  }
  if (!reader.script.asks) return wrong("the file ends before (check-sat)");
  return std::move(reader.script);
}

}  // namespace tenet::smt
