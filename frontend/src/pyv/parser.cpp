/// A recursive-descent parser. Precedence, from loose to tight: quantifiers,
/// `if` and `let` (they reach as far as they can), `<->`, `->` (to the right),
/// `|`, `&`, comparisons, `+` and `-`, `*`, `!`. A leading `&` or `|` is allowed
/// before an operand and means nothing.
#include "parser.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"
#include "token.h"

namespace tenet::frontend::pyv {
namespace {

/// Left-leaning chains make trees that are deep though nothing is nested.
constexpr std::uint16_t kMaxHeight = 400;
constexpr std::size_t kMaxNodes = std::size_t{1} << 18;
constexpr std::size_t kMaxErrors = 100;

/// Thrown where the text cannot be read on, and caught at the declaration.
struct Unreadable {};

enum Level : int { kIff = 1, kImplies, kOr, kAnd, kCompare, kSum, kProduct, kUnary };

struct Operator {
  int level;
  Kind kind;
};

/// The binary operator that a word is; level 0 if it is none.
Operator operator_of(Tok tok) {
  switch (tok) {
    case Tok::double_arrow:
      return {kIff, Kind::iff};
    case Tok::arrow:
      return {kImplies, Kind::implies};
    case Tok::pipe:
      return {kOr, Kind::disjunction};
    case Tok::ampersand:
      return {kAnd, Kind::conjunction};
    case Tok::equal:
      return {kCompare, Kind::equal};
    case Tok::differs:
      return {kCompare, Kind::differs};
    case Tok::ge:
      return {kCompare, Kind::ge};
    case Tok::gt:
      return {kCompare, Kind::gt};
    case Tok::le:
      return {kCompare, Kind::le};
    case Tok::lt:
      return {kCompare, Kind::lt};
    case Tok::plus:
      return {kSum, Kind::plus};
    case Tok::minus:
      return {kSum, Kind::minus};
    case Tok::star:
      return {kProduct, Kind::times};
    default:
      return {0, Kind::truth};
  }
}

bool begins_declaration(Tok tok) {
  switch (tok) {
    case Tok::kw_sort:
    case Tok::kw_mutable:
    case Tok::kw_immutable:
    case Tok::kw_derived:
    case Tok::kw_axiom:
    case Tok::kw_init:
    case Tok::kw_safety:
    case Tok::kw_invariant:
    case Tok::kw_transition:
    case Tok::kw_zerostate:
    case Tok::kw_onestate:
    case Tok::kw_twostate:
    case Tok::kw_theorem:
    case Tok::kw_definition:
    case Tok::kw_sat:
    case Tok::kw_unsat:
    case Tok::kw_fbii:
      return true;
    default:
      return false;
  }
}

class Parser {
 public:
  Parser(const SourceFile& file, Diagnostics& diagnostics) : diagnostics_(diagnostics), tokens_(tokenize(file)) {}

  File run() {
    while (!at(Tok::end) && errors_ < kMaxErrors) {
      const std::size_t begin = at_;
      depth_ = 0;
      try {
        declaration();
      } catch (const Unreadable&) {
        if (at_ == begin) ++at_;
        while (!at(Tok::end) && !begins_declaration(now().kind)) ++at_;
      }
    }
    return std::move(file_);
  }

 private:
  // Words.
  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  [[nodiscard]] bool at(Tok kind) const { return now().kind == kind; }
  const Token& take() { return at(Tok::end) ? now() : tokens_[at_++]; }
  bool accept(Tok kind) {
    if (!at(kind)) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] Span since(const Token& first) const {
    return {first.span.begin, tokens_[at_ > 0 ? at_ - 1 : 0].span.end};
  }
  [[noreturn]] void fail(std::string id, Span span, std::string message, std::string hint = {}) {
    ++errors_;
    diagnostics_.error(std::move(id), span, std::move(message), std::move(hint));
    throw Unreadable{};
  }
  [[noreturn]] void expected(std::string_view what, std::string hint = {}) {
    const std::string found =
        at(Tok::end) ? "the end of the file" : fmt::format("'{}'", printable(now().text.substr(0, 40)));
    if (hint.empty()) hint = usual_slip();
    // The end of the file is no place that can be shown; the word before it is.
    const Span place = at(Tok::end) && at_ > 0 ? tokens_[at_ - 1].span : now().span;
    fail("syntax-error", place, fmt::format("expected {}, found {}", what, found), std::move(hint));
  }
  const Token& expect(Tok kind, std::string_view what) {
    if (!at(kind)) expected(what);
    return take();
  }
  [[nodiscard]] std::string usual_slip() const;

  Name name(std::string_view what) {
    if (is_word(now().kind)) {
      expected(what, fmt::format("'{}' is a word of the language and cannot be a name", now().text));
    }
    const Token& token = expect(Tok::name, what);
    return {std::string(token.text), token.span};
  }

  // Declarations.
  void declaration();
  void symbol(bool is_mutable);
  void derived();
  std::vector<Name> arity(bool needed);
  Name sort();
  void annotations();
  std::optional<Name> claim_name();
  void claim(Claim::Kind kind);
  void stated();
  void theorem(const Token& first, int states);
  void definition(const Token& first, int states, bool is_transition);
  void trace();
  Component component();
  Call call();
  void skip_proof();

  // Expressions.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ <= kMaxNesting) return;
      parser_.depth_ = 0;
      parser_.fail("nested-too-deeply", parser_.now().span,
                   fmt::format("this is nested more than {} deep", kMaxNesting));
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };
  Expr* node(Kind kind, Span span, std::vector<Expr*> args);
  Expr* expr() { return binary(kIff); }
  Expr* binary(int least);
  Expr* combine(Operator op, Expr* left, Expr* right);
  Expr* unary();
  Expr* primary();
  Expr* named();
  Expr* quantifier(Kind kind);
  Expr* branch();
  Expr* let();
  std::vector<Expr*> arguments(bool needed);
  Variable variable();
  std::vector<Variable> variables();
  std::uint32_t primes() {
    std::uint32_t count = 0;
    while (accept(Tok::prime)) ++count;
    return count;
  }

  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t errors_ = 0;
  int depth_ = 0;
  File file_;
};

/// What other languages write here.
std::string Parser::usual_slip() const {
  const Tok before = at_ > 0 ? tokens_[at_ - 1].kind : Tok::end;
  const bool joined = at_ > 0 && tokens_[at_ - 1].span.end == now().span.begin;
  if (before == Tok::equal && at(Tok::gt) && joined) return "'implies' is written '->'";
  if (before == Tok::equal && at(Tok::equal) && joined) return "equality is written '='";
  if (at(Tok::bad) && now().text == "/") return "comments begin with '#'";
  if (is_word(now().kind)) return {};
  if (at(Tok::name) && now().text == "old") return "the old state is what is read without 'new'";
  return {};
}

// ---- Declarations

void Parser::annotations() {
  while (accept(Tok::annotation)) {
    if (!accept(Tok::lparen)) continue;
    do {
      (void)name("the argument of an annotation");
    } while (accept(Tok::comma));
    expect(Tok::rparen, "')' after the arguments of the annotation");
  }
}

Name Parser::sort() {
  if (at(Tok::kw_bool) || at(Tok::kw_int)) {
    const Token& token = take();
    return {std::string(token.text), token.span};
  }
  return name("the name of a sort");
}

std::vector<Name> Parser::arity(bool needed) {
  std::vector<Name> sorts;
  if (!needed && !at(Tok::lparen)) return sorts;
  expect(Tok::lparen, "'(' before the sorts of the arguments");
  if (!needed && accept(Tok::rparen)) return sorts;
  do {
    sorts.push_back(sort());
  } while (accept(Tok::comma));
  expect(Tok::rparen, "',' or ')' after a sort");
  return sorts;
}

void Parser::symbol(bool is_mutable) {
  const Token& first = take();
  Symbol made;
  made.is_mutable = is_mutable;
  if (accept(Tok::kw_relation)) {
    made.name = name("the name of the relation");
    made.arity = arity(false);
  } else if (accept(Tok::kw_function)) {
    made.kind = Symbol::Kind::function;
    made.name = name("the name of the function");
    made.arity = arity(true);
    expect(Tok::colon, "':' and the sort of the function's values");
    made.sort_name = sort();
  } else if (accept(Tok::kw_constant)) {
    made.kind = Symbol::Kind::constant;
    made.name = name("the name of the constant");
    expect(Tok::colon, "':' and the sort of the constant");
    made.sort_name = sort();
  } else {
    expected("'relation', 'function' or 'constant'");
  }
  annotations();
  made.span = since(first);
  file_.symbols.push_back(std::move(made));
}

void Parser::derived() {
  const Token& first = take();
  expect(Tok::kw_relation, "'relation' after 'derived'");
  Symbol made;
  made.is_mutable = true;
  made.name = name("the name of the relation");
  made.arity = arity(false);
  annotations();
  expect(Tok::colon, "':' and what the relation is derived from");
  made.derived = expr();
  made.span = since(first);
  file_.symbols.push_back(std::move(made));
}

std::optional<Name> Parser::claim_name() {
  if (!accept(Tok::lbracket)) return std::nullopt;
  Name result = name("a name in brackets");
  expect(Tok::rbracket, "']' after the name");
  return result;
}

void Parser::claim(Claim::Kind kind) {
  const Token& first = take();
  Claim made;
  made.kind = kind;
  made.name = claim_name();
  made.formula = expr();
  made.span = since(first);
  file_.claims.push_back(std::move(made));
}

/// `theorem` or `definition`, perhaps with the number of states before it.
void Parser::stated() {
  const Token& first = now();
  const int states = at(Tok::kw_zerostate) ? 0 : at(Tok::kw_twostate) ? 2 : 1;
  if (at(Tok::kw_zerostate) || at(Tok::kw_onestate) || at(Tok::kw_twostate)) take();
  if (accept(Tok::kw_theorem)) return theorem(first, states);
  expect(Tok::kw_definition, "'theorem' or 'definition'");
  definition(first, states, false);
}

void Parser::theorem(const Token& first, int states) {
  Claim made;
  made.kind = Claim::Kind::theorem;
  made.states = states;
  made.name = claim_name();
  made.formula = expr();
  made.span = since(first);
  file_.claims.push_back(std::move(made));
}

void Parser::definition(const Token& first, int states, bool is_transition) {
  Definition made;
  made.is_transition = is_transition;
  made.states = states;
  made.name = name(is_transition ? "the name of the transition" : "the name of the definition");
  expect(Tok::lparen, "'(' before the parameters");
  if (!at(Tok::rparen)) made.parameters = variables();
  expect(Tok::rparen, "',' or ')' after a parameter");
  if (at(Tok::kw_modifies)) {
    const Token& modifies = take();
    if (states != 2) {
      fail("not-allowed-here", modifies.span, "'modifies' is for transitions and definitions over two states");
    }
    do {
      made.modifies.push_back(name("the name of something mutable"));
    } while (accept(Tok::comma));
  } else {
    expect(Tok::equal, "'modifies' or '='");
  }
  made.body = expr();
  made.span = since(first);
  file_.definitions.push_back(std::move(made));
}

Call Parser::call() {
  const Token& first = now();
  Call made;
  made.target = name("the name of a transition");
  if (accept(Tok::lparen)) {
    made.has_arguments = true;
    while (!at(Tok::rparen)) {
      made.arguments.push_back(accept(Tok::star) ? nullptr : expr());
      if (!accept(Tok::comma)) break;
    }
    expect(Tok::rparen, "',' or ')' after an argument");
  }
  made.span = since(first);
  return made;
}

Component Parser::component() {
  const Token& first = now();
  Component made;
  if (accept(Tok::kw_assert)) {
    if (accept(Tok::kw_init)) {
      made.kind = Component::Kind::initial;
    } else {
      made.formula = expr();
    }
  } else if (accept(Tok::kw_any)) {
    expect(Tok::kw_transition, "'transition' after 'any'");
    made.kind = Component::Kind::any;
  } else {
    if (!at(Tok::name)) expected("a transition, 'any transition', 'assert' or '}'");
    made.kind = Component::Kind::calls;
    do {
      made.calls.push_back(call());
    } while (accept(Tok::pipe));
  }
  made.span = since(first);
  return made;
}

void Parser::trace() {
  const Token& first = take();
  Trace made;
  made.sat = first.kind == Tok::kw_sat;
  expect(Tok::kw_trace, fmt::format("'trace' after '{}'", first.text));
  expect(Tok::lbrace, "'{' after 'trace'");
  while (!at(Tok::rbrace)) made.components.push_back(component());
  take();
  made.span = {first.span.begin, tokens_[at_ - 1].span.end};
  file_.traces.push_back(std::move(made));
}

/// A forward-backward proof: one error for all of it.
void Parser::skip_proof() {
  ++errors_;
  diagnostics_.error("not-supported-yet", now().span, "forward-backward proofs ('fbii') are not supported");
  int open = 0;
  do {
    open += at(Tok::lbrace) ? 1 : at(Tok::rbrace) ? -1 : 0;
    take();
  } while (!at(Tok::end) && (open > 0 || at(Tok::lbrace)));
}

void Parser::declaration() {
  switch (now().kind) {
    case Tok::kw_sort:
      take();
      file_.sorts.push_back(name("the name of the sort"));
      annotations();
      return;
    case Tok::kw_mutable:
      return symbol(true);
    case Tok::kw_immutable:
      return symbol(false);
    case Tok::kw_derived:
      return derived();
    case Tok::kw_axiom:
      return claim(Claim::Kind::axiom);
    case Tok::kw_init:
      return claim(Claim::Kind::init);
    case Tok::kw_safety:
      return claim(Claim::Kind::safety);
    case Tok::kw_invariant:
      return claim(Claim::Kind::invariant);
    case Tok::kw_transition: {
      const Token& first = take();
      return definition(first, 2, true);
    }
    case Tok::kw_zerostate:
    case Tok::kw_onestate:
    case Tok::kw_twostate:
    case Tok::kw_theorem:
    case Tok::kw_definition:
      return stated();
    case Tok::kw_sat:
    case Tok::kw_unsat:
      return trace();
    case Tok::kw_fbii:
      return skip_proof();
    default:
      break;
  }
  std::string closest;
  if (at(Tok::name)) {
    std::vector<std::string> words;
    for (const std::string_view word : reserved_words()) words.emplace_back(word);
    closest = did_you_mean(now().text, words);
  }
  expected("a declaration", closest.empty() ? "" : fmt::format("did you mean '{}'?", closest));
}

// ---- Expressions

Expr* Parser::node(Kind kind, Span span, std::vector<Expr*> args) {
  if (file_.nodes.size() >= kMaxNodes) {
    errors_ = kMaxErrors;
    fail("file-too-complex", span, fmt::format("there are more than {} expressions in this file", kMaxNodes));
  }
  std::uint16_t height = 0;
  for (const Expr* arg : args) height = std::max(height, arg->height);
  if (height >= kMaxHeight) fail("nested-too-deeply", span, fmt::format("this is nested {} deep", kMaxHeight));
  Expr& made = file_.nodes.emplace_back();
  made.kind = kind;
  made.height = static_cast<std::uint16_t>(height + 1);
  made.args = std::move(args);
  made.span = span;
  return &made;
}

Expr* Parser::combine(Operator op, Expr* left, Expr* right) {
  const Span span{left->span.begin, right->span.end};
  const bool chain = op.kind == Kind::conjunction || op.kind == Kind::disjunction;
  if (!chain || left->kind != op.kind) return node(op.kind, span, {left, right});
  if (right->height >= kMaxHeight) return node(op.kind, span, {left, right});
  left->args.push_back(right);
  left->height = std::max(left->height, static_cast<std::uint16_t>(right->height + 1));
  left->span = span;
  return left;
}

Expr* Parser::binary(int least) {
  const Deeper deeper(*this);
  Expr* left = unary();
  for (;;) {
    const Operator op = operator_of(now().kind);
    if (op.level == 0 || op.level < least) return left;
    take();
    // To the right only: `a -> b -> c` is `a -> (b -> c)`.
    Expr* right = binary(op.level == kImplies ? kImplies : op.level + 1);
    const bool chained = (op.level == kIff || op.level == kCompare) && operator_of(now().kind).level == op.level;
    if (chained) {
      fail("syntax-error", now().span, fmt::format("'{}' does not chain", now().text), "brackets say what is meant");
    }
    left = combine(op, left, right);
  }
}

Expr* Parser::unary() {
  const Token& first = now();
  switch (first.kind) {
    case Tok::ampersand:
      take();
      return binary(kCompare);
    case Tok::pipe:
      take();
      return binary(kAnd);
    case Tok::bang: {
      const Deeper deeper(*this);
      take();
      Expr* arg = unary();
      return node(Kind::negation, since(first), {arg});
    }
    default:
      return primary();
  }
}

Expr* Parser::primary() {
  const Token& first = now();
  switch (first.kind) {
    case Tok::number: {
      take();
      Expr* made = node(Kind::integer, first.span, {});
      const std::string_view text = first.text;
      if (std::from_chars(text.data(), text.data() + text.size(), made->number).ec != std::errc()) {
        fail("number-too-large", first.span, "this number does not fit into 64 bits");
      }
      return made;
    }
    case Tok::kw_true:
    case Tok::kw_false: {
      take();
      Expr* made = node(Kind::truth, first.span, {});
      made->number = first.kind == Tok::kw_true ? 1 : 0;
      return made;
    }
    case Tok::lparen: {
      take();
      Expr* inside = expr();
      expect(Tok::rparen, "an operator or ')'");
      return inside;
    }
    case Tok::kw_new: {
      take();
      expect(Tok::lparen, "'(' after 'new'");
      Expr* inside = expr();
      expect(Tok::rparen, "an operator or ')'");
      return node(Kind::next, since(first), {inside});
    }
    case Tok::kw_distinct: {
      take();
      std::vector<Expr*> args = arguments(true);
      return node(Kind::distinct, since(first), std::move(args));
    }
    case Tok::kw_forall:
      return quantifier(Kind::forall);
    case Tok::kw_exists:
      return quantifier(Kind::exists);
    case Tok::kw_if:
      return branch();
    case Tok::kw_let:
      return let();
    case Tok::name:
    case Tok::kw_safety:
      return named();
    default:
      expected("an expression");
  }
}

Expr* Parser::named() {
  const Token& first = take();
  const std::uint32_t count = primes();
  std::vector<Expr*> args;
  const bool applied = first.kind == Tok::name && at(Tok::lparen);
  if (applied) args = arguments(false);
  Expr* made = node(applied ? Kind::apply : Kind::name, since(first), std::move(args));
  made->name = first.text;
  made->primes = count;
  return made;
}

std::vector<Expr*> Parser::arguments(bool needed) {
  std::vector<Expr*> args;
  expect(Tok::lparen, "'('");
  if (!needed && accept(Tok::rparen)) return args;
  do {
    args.push_back(expr());
  } while (accept(Tok::comma));
  expect(Tok::rparen, "an operator, ',' or ')'");
  return args;
}

Variable Parser::variable() {
  Variable made;
  const Name word = name("the name of a variable");
  made.name = word.text;
  made.span = word.span;
  if (accept(Tok::colon)) made.sort_name = sort();
  return made;
}

std::vector<Variable> Parser::variables() {
  std::vector<Variable> all;
  do {
    all.push_back(variable());
  } while (accept(Tok::comma));
  return all;
}

Expr* Parser::quantifier(Kind kind) {
  const Token& first = take();
  std::vector<Variable> bound = variables();
  const bool sorted = bound.back().sort_name.has_value();
  if (sorted && at(Tok::colon)) expected("',' or '.' after a sort", "what the quantifier says comes after '.'");
  expect(Tok::dot, sorted ? "',' or '.' after a sort" : "':', ',' or '.' after a variable");
  Expr* body = expr();
  Expr* made = node(kind, since(first), {body});
  made->variables = std::move(bound);
  return made;
}

Expr* Parser::branch() {
  const Token& first = take();
  Expr* condition = expr();
  expect(Tok::kw_then, "an operator or 'then'");
  Expr* then = expr();
  expect(Tok::kw_else, "an operator or 'else'");
  Expr* otherwise = expr();
  return node(Kind::branch, since(first), {condition, then, otherwise});
}

Expr* Parser::let() {
  const Token& first = take();
  Variable bound = variable();
  expect(Tok::equal, "'=' and a value");
  Expr* value = expr();
  expect(Tok::kw_in, "an operator or 'in'");
  Expr* body = expr();
  Expr* made = node(Kind::let, since(first), {value, body});
  made->variables.push_back(std::move(bound));
  return made;
}

}  // namespace

File parse(const SourceFile& file, Diagnostics& diagnostics) { return Parser(file, diagnostics).run(); }

}  // namespace tenet::frontend::pyv
