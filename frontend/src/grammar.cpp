// The grammar of protocol and variant files: docs/language.md, rule by rule.
// Boost.Spirit X3 over tokens. A rule that cannot match fails; the furthest
// failure makes the message, so no rule needs expectation points.
#include "grammar.h"

#include "grammar_parts.h"
#include "sync.h"

namespace tenet::frontend::grammar {

namespace {

using ast::BinaryOp;
using ast::ExprKind;
using ast::ExprRef;
using ast::Ident;
using ast::StmtRef;
using ast::TypeRef;
using boost::fusion::at_c;
using x3::_attr;
using x3::_val;
using x3::_where;

// Actions.

/// The token behind what the action's parser has read.
template <class Context>
const Token* behind(const Context& context) {
  return _where(context).begin();
}

const auto set = [](auto& context) { _val(context) = std::move(_attr(context)); };

/// Moves the parsed attribute into a member of the rule's value.
template <auto Member>
struct Put {
  template <class Context>
  void operator()(Context& context) const {
    _val(context).*Member = std::move(_attr(context));
  }
};

/// Sets a member of the rule's value to a fixed value.
template <auto Member, auto Value>
struct Mark {
  template <class Context>
  void operator()(Context& context) const {
    _val(context).*Member = Value;
  }
};

/// Appends to a member of the rule's value.
template <auto Member>
struct Append {
  template <class Context>
  void operator()(Context& context) const {
    (_val(context).*Member).push_back(std::move(_attr(context)));
  }
};

/// Makes an expression node of the given kind out of the attribute: an
/// operand, operands, or a name.
void fill(ast::Expr& expr, ExprRef arg) { expr.args.push_back(arg); }
void fill(ast::Expr& expr, std::vector<ExprRef>& args) { expr.args = std::move(args); }
void fill(ast::Expr& expr, Ident name) { expr.name = name; }
void fill(ast::Expr&, x3::unused_type) {}

template <ExprKind Kind, bool Flag = false>
struct Node {
  template <class Context>
  void operator()(Context& context) const {
    ast::Expr expr;
    expr.kind = Kind;
    expr.flag = Flag;
    fill(expr, _attr(context));
    _val(context) = state(context).add(std::move(expr), behind(context) - 1);
  }
};

/// Folds `operator operand` into the value on the left.
struct Fold {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    _val(context) = state(context).binary(at_c<0>(attribute), _val(context), at_c<1>(attribute), behind(context) - 1);
  }
};

template <BinaryOp Op>
struct FoldAs {
  template <class Context>
  void operator()(Context& context) const {
    _val(context) = state(context).binary(Op, _val(context), _attr(context), behind(context) - 1);
  }
};

template <ExprKind Kind>
struct Chain {
  template <class Context>
  void operator()(Context& context) const {
    _val(context) = state(context).chain(Kind, _val(context), _attr(context), behind(context) - 1);
  }
};

// Tokens.

constexpr TokenParser tok(Tok kind) { return TokenParser(kind); }
const NameParser name("a name", false);
const NameParser role_name("a role name", true);
inline AnyOfParser word(Tok kind) { return {kind, spelling(kind)}; }

template <class Predicate>
constexpr auto peek(Predicate predicate) {
  return PeekParser<Predicate>(predicate);
}

/// A word such as `from` begins a clause only where it is not the variable of
/// the next assignment.
bool starts_assignment(const Token* at) {
  const Tok next = at[1].kind;
  return next == Tok::assign || next == Tok::plus_assign || next == Tok::minus_assign || next == Tok::dot ||
         next == Tok::lbracket;
}
template <Tok Kind>
const auto clause = peek([](const Token* at, ParseState&) { return at->kind == Kind && !starts_assignment(at); }) >>
                    tok(Kind);
const auto before_call = [](const Token* at, ParseState&) {
  return at[0].kind != Tok::end && at[1].kind == Tok::lparen;
};

// Types.

const x3::rule<struct TypeTag, TypeRef> type = "type";
const x3::rule<struct SimpleTypeTag, TypeRef> simple_type = "simple type";

template <ast::TypeKind Kind>
struct TypeNode {
  static void fill(ast::Type& node, TypeRef arg) { node.args = {arg}; }
  static void fill(ast::Type& node, Ident written) { node.name = written; }
  template <class Pair>
  static void fill(ast::Type& node, const Pair& pair) {
    node.args = {at_c<0>(pair), at_c<1>(pair)};
  }
  template <class Context>
  void operator()(Context& context) const {
    ast::Type node;
    node.kind = Kind;
    fill(node, _attr(context));
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};

struct FunctionType {
  template <class Context>
  void operator()(Context& context) const {
    ast::Type node;
    node.kind = ast::TypeKind::function;
    node.args = {_val(context), _attr(context)};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};

const auto type_def = spanned(nested(simple_type[set] >> -(quietly(tok(Tok::arrow)) >> type)[FunctionType{}]));

/// `option<…>`: the word alone may be a type's name.
template <Tok Kind>
const auto generic = peek([](const Token* at, ParseState&) { return at[0].kind == Kind && at[1].kind == Tok::lt; }) >>
                     tok(Kind) >> tok(Tok::lt);

bool no_generic(const Token* at, ParseState&) {
  const bool word_of_types =
      at->kind == Tok::kw_option || at->kind == Tok::kw_set || at->kind == Tok::kw_seq || at->kind == Tok::kw_map;
  return !word_of_types || at[1].kind != Tok::lt;
}

const auto simple_type_def = spanned(named(
    "a type",
    word(Tok::kw_bool)[TypeNode<ast::TypeKind::boolean>{}] | word(Tok::kw_int)[TypeNode<ast::TypeKind::integer>{}] |
        word(Tok::kw_nat)[TypeNode<ast::TypeKind::natural>{}] | word(Tok::kw_real)[TypeNode<ast::TypeKind::real>{}] |
        (generic<Tok::kw_option> >> type >> tok(Tok::gt))[TypeNode<ast::TypeKind::option>{}] |
        (generic<Tok::kw_set> >> type >> tok(Tok::gt))[TypeNode<ast::TypeKind::set>{}] |
        (generic<Tok::kw_seq> >> type >> tok(Tok::gt))[TypeNode<ast::TypeKind::seq>{}] |
        (generic<Tok::kw_map> >> type >> tok(Tok::comma) >> type >> tok(Tok::gt))[TypeNode<ast::TypeKind::map>{}] |
        (tok(Tok::lparen) >> type >> tok(Tok::rparen))[set] |
        (peek(no_generic) >> name)[TypeNode<ast::TypeKind::named>{}]));

BOOST_SPIRIT_DEFINE(type, simple_type)

const x3::rule<struct FieldTag, ast::Field> field = "field";
const auto field_def = name[Put<&ast::Field::name>{}] >> tok(Tok::colon) >> type[Put<&ast::Field::type>{}];
const x3::rule<struct FieldsTag, std::vector<ast::Field>> parameters = "parameters";
const auto parameters_def = tok(Tok::lparen) >> -(field % tok(Tok::comma)) >> tok(Tok::rparen);
BOOST_SPIRIT_DEFINE(field, parameters)

// Expressions, loosest first.

const x3::rule<struct ExprTag, ExprRef> expr = "expression";
const x3::rule<struct QuantifierTag, ExprRef> quantifier = "quantifier";
const x3::rule<struct ConditionalTag, ExprRef> conditional = "conditional";
const x3::rule<struct ImplicationTag, ExprRef> implication = "implication";
const x3::rule<struct DisjunctionTag, ExprRef> disjunction = "disjunction";
const x3::rule<struct ConjunctionTag, ExprRef> conjunction = "conjunction";
const x3::rule<struct NegationTag, ExprRef> negation = "negation";
const x3::rule<struct NotTag, ExprRef> not_expr = "negation";
const x3::rule<struct ComparisonTag, ExprRef> comparison = "comparison";
const x3::rule<struct SumTag, ExprRef> sum = "sum";
const x3::rule<struct TermTag, ExprRef> term = "term";
const x3::rule<struct FactorTag, ExprRef> factor = "factor";
const x3::rule<struct MinusTag, ExprRef> minus_expr = "negative number";
const x3::rule<struct PostfixTag, ExprRef> postfix = "operand";
const x3::rule<struct PrimaryTag, ExprRef> primary = "operand";
const x3::rule<struct ArgumentsTag, std::vector<ExprRef>> arguments = "arguments";
const x3::rule<struct BinderTag, ast::Binder> binder = "bound names";
const x3::rule<struct BindersTag, std::vector<ast::Binder>> binders = "bound names";
const x3::rule<struct SetBuildTag, ExprRef> typed_set_build = "set";
const x3::rule<struct SetTag, ExprRef> set_expr = "set";
const x3::rule<struct SentTag, ExprRef> sent_expr = "sent";
const x3::rule<struct SumExprTag, ExprRef> sum_expr = "sum";

const auto expr_def = nested(conditional[set]);

const auto binder_def = (name[Append<&ast::Binder::names>{}] % tok(Tok::comma)) >>
                        ((tok(Tok::colon) >> type[Put<&ast::Binder::type>{}]) |
                         (tok(Tok::kw_in) >> expr[Put<&ast::Binder::domain>{}]));
const auto binders_def = binder % tok(Tok::comma);

struct Quantify {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    ast::Expr node;
    node.kind = ExprKind::quantifier;
    node.flag = at_c<0>(attribute).text == "exists";
    node.binders = std::move(at_c<1>(attribute));
    node.args = {at_c<2>(attribute)};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
struct Sum {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    ast::Expr node;
    node.kind = ExprKind::sum;
    node.binders = std::move(at_c<0>(attribute));
    node.args = {at_c<1>(attribute)};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
// `sum` may be a name: what follows it tells.
const auto begins_sum = [](const Token* at, ParseState&) {
  return at[0].kind == Tok::kw_sum && is_name(at[1].kind) &&
         (at[2].kind == Tok::colon || at[2].kind == Tok::comma || at[2].kind == Tok::kw_in);
};
const auto sum_expr_def = peek(begins_sum) >> tok(Tok::kw_sum) >> (binders >> tok(Tok::colons) >> nested(sum))[Sum{}];

const x3::rule<struct QuantifierWordTag, Ident> quantifier_word = "quantifier";
const auto quantifier_word_def = word(Tok::kw_forall)[set] | word(Tok::kw_exists)[set];
const auto quantifier_def = spanned((quantifier_word >> binders >> tok(Tok::colons) >> expr)[Quantify{}]);

struct Conditional {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    const ExprRef otherwise = at_c<1>(attribute);
    ast::Tree& tree = state(context).tree;
    ast::Expr node;
    node.kind = ExprKind::conditional;
    node.args = {_val(context), at_c<0>(attribute), otherwise};
    node.span = {tree[_val(context)].span.begin, tree[otherwise].span.end};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
const auto conditional_def = implication[set] >>
                             -(quietly(tok(Tok::question)) >> expr >> tok(Tok::colon) >> expr)[Conditional{}];

const auto implication_def = disjunction[set] >>
                             -((quietly(named("an operator", tok(Tok::fat_arrow))) >>
                                nested(implication))[FoldAs<BinaryOp::implies>{}] |
                               (quietly(named("an operator", tok(Tok::iff))) >> disjunction)[FoldAs<BinaryOp::iff>{}]);
const auto disjunction_def = conjunction[set] >>
                             *(quietly(named("an operator", tok(Tok::kw_or))) >> conjunction)[Chain<ExprKind::or_>{}];
const auto conjunction_def = negation[set] >>
                             *(quietly(named("an operator", tok(Tok::kw_and))) >> negation)[Chain<ExprKind::and_>{}];

const auto negation_def = named("an expression", not_expr[set] | quantifier[set] | comparison[set]);
const auto not_expr_def = spanned(tok(Tok::kw_not) >> nested(negation)[Node<ExprKind::not_>{}]);

const auto comparison_operator = operators({{Tok::eq, BinaryOp::eq},
                                            {Tok::ne, BinaryOp::ne},
                                            {Tok::lt, BinaryOp::lt},
                                            {Tok::le, BinaryOp::le},
                                            {Tok::gt, BinaryOp::gt},
                                            {Tok::ge, BinaryOp::ge},
                                            {Tok::kw_subset, BinaryOp::subset}});
// In a variant, `in` may also begin the next edit.
const auto in_operator = peek([](const Token* at, ParseState& shared) {
                           return !shared.variant || !sync::starts_edit(at);
                         }) >>
                         quietly(named("an operator", tok(Tok::kw_in)));
const auto not_in_operator = peek([](const Token* at, ParseState&) {
                               return at[0].kind == Tok::kw_not && at[1].kind == Tok::kw_in;
                             }) >>
                             tok(Tok::kw_not) >> tok(Tok::kw_in);
const auto comparison_def = sum[set] >>
                            -((comparison_operator >> sum)[Fold{}] | (in_operator >> sum)[FoldAs<BinaryOp::in>{}] |
                              (not_in_operator >> sum)[FoldAs<BinaryOp::not_in>{}]);

const auto sum_operator = operators({{Tok::plus, BinaryOp::add},
                                     {Tok::minus, BinaryOp::sub},
                                     {Tok::kw_union, BinaryOp::set_union},
                                     {Tok::backslash, BinaryOp::set_difference}});
const auto sum_def = term[set] >> *(sum_operator >> term)[Fold{}];
const auto term_operator = operators({{Tok::star, BinaryOp::mul},
                                      {Tok::slash, BinaryOp::div},
                                      {Tok::percent, BinaryOp::mod},
                                      {Tok::kw_intersect, BinaryOp::set_intersection}});
const auto term_def = factor[set] >> *(term_operator >> factor)[Fold{}];

const auto factor_def = named("an expression", minus_expr[set] | postfix[set]);
const auto minus_expr_def = spanned(tok(Tok::minus) >> nested(factor)[Node<ExprKind::negate>{}]);

struct Select {
  template <class Context>
  void operator()(Context& context) const {
    ast::Expr node;
    node.args = {_val(context)};
    extend(node, _attr(context));
    node.span = {state(context).tree[_val(context)].span.begin, (behind(context) - 1)->span.end};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
  static void extend(ast::Expr& node, Ident member) {
    node.kind = ExprKind::field;
    node.name = member;
  }
  static void extend(ast::Expr& node, ExprRef index) {
    node.kind = ExprKind::index;
    node.args.push_back(index);
  }
};
const auto postfix_def = primary[set] >> *((quietly(tok(Tok::dot)) >> name)[Select{}] |
                                           (quietly(tok(Tok::lbracket)) >> expr >> tok(Tok::rbracket))[Select{}]);

const auto arguments_def = tok(Tok::lparen) >> -(expr % tok(Tok::comma)) >> tok(Tok::rparen);

struct Call {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    ast::Expr node;
    node.kind = ExprKind::call;
    node.name = at_c<0>(attribute);
    node.args = std::move(at_c<1>(attribute));
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};

/// `{x: T where p}`: typed names; `{x in s where p}` is read as a set literal
/// first, since only the `where` tells them apart.
struct TypedSetBuild {
  template <class Context>
  void operator()(Context& context) const {
    auto& attribute = _attr(context);
    ast::Expr node;
    node.kind = ExprKind::set_build;
    ast::Binder bound;
    bound.names = {at_c<0>(attribute)};
    bound.type = at_c<1>(attribute);
    node.binders.push_back(std::move(bound));
    node.args = {at_c<2>(attribute)};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
const auto typed_set_build_def =
    (peek([](const Token* at, ParseState&) { return is_name(at[0].kind) && at[1].kind == Tok::colon; }) >> name >>
     tok(Tok::colon) >> type >> tok(Tok::kw_where) >> expr)[TypedSetBuild{}];

struct DomainSetBuild {
  template <class Context>
  void operator()(Context& context) const {
    ast::Tree& tree = state(context).tree;
    const ast::Expr literal = tree[_val(context)];
    const ast::Expr* element = literal.args.size() == 1 ? &tree[literal.args[0]] : nullptr;
    const bool fits = element != nullptr && element->kind == ExprKind::binary && element->op == BinaryOp::in &&
                      !element->parenthesised && tree[element->args[0]].kind == ExprKind::name;
    if (!fits) {
      x3::_pass(context) = false;
      return;
    }
    ast::Expr node;
    node.kind = ExprKind::set_build;
    ast::Binder bound;
    bound.names = {tree[element->args[0]].name};
    bound.domain = element->args[1];
    node.binders.push_back(std::move(bound));
    node.args = {_attr(context)};
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
const x3::rule<struct ElementsTag, std::vector<ExprRef>> elements = "elements";
const auto elements_def = -(expr % tok(Tok::comma));
const auto set_expr_def = tok(Tok::lbrace) >>
                          (typed_set_build[set] | (elements[Node<ExprKind::set_literal>{}] >>
                                                   -(quietly(tok(Tok::kw_where)) >> expr)[DomainSetBuild{}])) >>
                          tok(Tok::rbrace);

struct Sent {
  template <class Context>
  void operator()(Context& context) const {
    ast::Expr node;
    node.kind = ExprKind::sent;
    node.name = _attr(context);
    _val(context) = state(context).add(std::move(node), behind(context) - 1);
  }
};
struct SentPart {
  template <class Context>
  void operator()(Context& context) const {
    ast::Tree& tree = state(context).tree;
    ast::Expr& node = tree.exprs[_val(context).index];
    const ExprRef part = _attr(context);
    if (part.valid()) node.height = std::max(node.height, tree[part].height + 1);
    node.args.push_back(part);
  }
};
const x3::rule<struct PatternExprTag, ExprRef> expr_or_any = "argument";
const auto expr_or_any_def = tok(Tok::underscore) | expr[set];
const auto no_expr = x3::attr(ExprRef{});
const x3::rule<struct SentFromTag, ExprRef> sent_from = "sender";
const auto sent_from_def = (quietly(clause<Tok::kw_from>) >> postfix[set]) | no_expr[set];
const x3::rule<struct SentToTag, ExprRef> sent_to = "addressee";
const auto sent_to_def = (quietly(clause<Tok::kw_to>) >> postfix[set]) | no_expr[set];
const auto sent_expr_def = tok(Tok::kw_sent) >> named("a message", name)[Sent{}] >>
                           -(quietly(tok(Tok::lparen)) >> -(expr_or_any[SentPart{}] % tok(Tok::comma)) >>
                             tok(Tok::rparen)) >>
                           sent_from[SentPart{}] >> sent_to[SentPart{}];

// `all` takes the name behind it unless that begins the next statement.
const auto all_of = peek([](const Token* at, ParseState&) {
                      return at[0].kind == Tok::kw_all && at[1].kind == Tok::name && !starts_assignment(at + 1);
                    }) >>
                    tok(Tok::kw_all) >> role_name;
const auto parenthesised = [](auto& context) {
  _val(context) = _attr(context);
  state(context).tree.exprs[_attr(context).index].parenthesised = true;
};
const auto in_parens = tok(Tok::lparen) >> expr >> tok(Tok::rparen);

const auto primary_def = spanned(
    named("an expression",
          (peek(before_call) >> tok(Tok::kw_keys) >> in_parens)[Node<ExprKind::keys>{}] |
              (peek(before_call) >> tok(Tok::kw_once) >> in_parens)[Node<ExprKind::once>{}] |
              (peek(before_call) >> tok(Tok::kw_sum) >> in_parens)[Node<ExprKind::weighted_sum>{}] | sum_expr[set] |
              (peek(before_call) >> name >> arguments)[Call{}] | name[Node<ExprKind::name>{}] |
              word(Tok::number)[Node<ExprKind::number>{}] | word(Tok::decimal)[Node<ExprKind::decimal>{}] |
              tok(Tok::kw_true)[Node<ExprKind::boolean, true>{}] |
              tok(Tok::kw_false)[Node<ExprKind::boolean, false>{}] | tok(Tok::kw_none)[Node<ExprKind::none>{}] |
              tok(Tok::kw_self)[Node<ExprKind::self>{}] | (tok(Tok::kw_some) >> in_parens)[Node<ExprKind::some>{}] |
              (tok(Tok::kw_majority) >> in_parens)[Node<ExprKind::majority>{}] |
              (tok(Tok::kw_old) >> in_parens)[Node<ExprKind::old>{}] | sent_expr[set] | all_of[Node<ExprKind::all>{}] |
              tok(Tok::kw_all)[Node<ExprKind::all>{}] | set_expr[set] |
              (tok(Tok::bar) >> expr >> tok(Tok::bar))[Node<ExprKind::cardinality>{}] | in_parens[parenthesised]));

BOOST_SPIRIT_DEFINE(expr, quantifier_word, quantifier, conditional, implication, disjunction, conjunction, negation,
                    not_expr, comparison, sum, term, factor, minus_expr, postfix, primary, arguments, binder, binders,
                    typed_set_build, set_expr, sent_expr, sum_expr, elements, expr_or_any, sent_from, sent_to)

// Statements.

const x3::rule<struct BlockTag, ast::Block> block = "block";
const x3::rule<struct StatementTag, StmtRef> statement = "statement";
const x3::rule<struct SimpleTag, ast::Stmt> assignment = "assignment";
const x3::rule<struct IfTag, ast::Stmt> if_statement = "if";
const x3::rule<struct SendTag, ast::Stmt> send = "send";
const x3::rule<struct ChooseTag, ast::Stmt> choose = "choose";
const x3::rule<struct LetTag, ast::Stmt> let = "let";
const x3::rule<struct PlaceTag, ExprRef> place = "place";
const x3::rule<struct PlaceRootTag, ExprRef> place_root = "place";

const auto block_def =
    spanned(tok(Tok::lbrace) >> list_of<StmtRef, sync::Statements>(statement)[Put<&ast::Block::stmts>{}] >>
            CloseParser<sync::Statements>{});

const auto place_root_def = spanned((name[Node<ExprKind::name>{}]) | tok(Tok::kw_self)[Node<ExprKind::self>{}]);
const auto place_def = place_root[set] >> *((quietly(tok(Tok::dot)) >> name)[Select{}] |
                                            (quietly(tok(Tok::lbracket)) >> expr >> tok(Tok::rbracket))[Select{}]);
const auto assignment_def = spanned(place[Put<&ast::Stmt::place>{}] >>
                                    (tok(Tok::assign)[Mark<&ast::Stmt::op, ast::AssignOp::set>{}] |
                                     tok(Tok::plus_assign)[Mark<&ast::Stmt::op, ast::AssignOp::add>{}] |
                                     tok(Tok::minus_assign)[Mark<&ast::Stmt::op, ast::AssignOp::remove>{}]) >>
                                    expr[Put<&ast::Stmt::value>{}]);

struct PutElseIf {
  template <class Context>
  void operator()(Context& context) const {
    ast::Stmt& inner = _attr(context);
    ast::Block& otherwise = _val(context).else_block;
    otherwise.span = inner.span;
    otherwise.stmts = {state(context).add(std::move(inner))};
  }
};
const auto else_part = tok(Tok::kw_else)[Mark<&ast::Stmt::has_else, true>{}] >>
                       (nested(if_statement)[PutElseIf{}] | block[Put<&ast::Stmt::else_block>{}]);
const auto if_statement_def =
    spanned(tok(Tok::kw_if)[Mark<&ast::Stmt::kind, ast::StmtKind::if_>{}] >> expr[Put<&ast::Stmt::value>{}] >>
            block[Put<&ast::Stmt::then_block>{}] >> -quietly(else_part));

const auto each = peek([](const Token* at, ParseState&) {
                    return at[0].kind == Tok::kw_each && is_name(at[1].kind) && at[2].kind == Tok::kw_in;
                  }) >>
                  tok(Tok::kw_each) >> name[Put<&ast::Stmt::each>{}] >> tok(Tok::kw_in);
const auto send_def =
    spanned(tok(Tok::kw_send)[Mark<&ast::Stmt::kind, ast::StmtKind::send>{}] >>
            named("a message", name)[Put<&ast::Stmt::name>{}] >> -quietly(arguments[Put<&ast::Stmt::args>{}]) >>
            tok(Tok::kw_to) >> -each >> expr[Put<&ast::Stmt::target>{}]);

const auto choose_def = spanned(tok(Tok::kw_choose)[Mark<&ast::Stmt::kind, ast::StmtKind::choose>{}] >>
                                name[Put<&ast::Stmt::name>{}] >> tok(Tok::colon) >> type[Put<&ast::Stmt::type>{}] >>
                                -(quietly(tok(Tok::kw_where)) >> expr[Put<&ast::Stmt::value>{}]));
const auto let_def = spanned(tok(Tok::kw_let)[Mark<&ast::Stmt::kind, ast::StmtKind::let>{}] >>
                             name[Put<&ast::Stmt::name>{}] >> tok(Tok::assign) >> expr[Put<&ast::Stmt::value>{}]);

const auto add_statement = [](auto& context) { _val(context) = state(context).add(std::move(_attr(context))); };
const auto statement_def =
    nested(named("a statement", if_statement[add_statement] | send[add_statement] | choose[add_statement] |
                                    let[add_statement] | assignment[add_statement]) >>
           -quietly(tok(Tok::semicolon)));

BOOST_SPIRIT_DEFINE(block, statement, assignment, if_statement, send, choose, let, place, place_root)

// Roles.

const x3::rule<struct ConstTag, ast::ConstDecl> const_decl = "constant";
const x3::rule<struct VarTag, ast::VarDecl> var_decl = "variable";
const x3::rule<struct FormulaTag, ast::FormulaDecl> init_decl = "init";
const x3::rule<struct AxiomTag, ast::FormulaDecl> axiom_decl = "axiom";
const x3::rule<struct StepTag, ast::StepDecl> step_decl = "step";
const x3::rule<struct ReceiveTag, ast::StepDecl> receive_decl = "receive";
const x3::rule<struct RoleTag, ast::RoleDecl> role_decl = "role";
const x3::rule<struct ItemTag, ast::RoleItem> role_item = "item";

const auto const_decl_def = documented(tok(Tok::kw_const) >> name[Put<&ast::ConstDecl::name>{}] >> tok(Tok::colon) >>
                                       type[Put<&ast::ConstDecl::type>{}] >>
                                       -quietly(tok(Tok::kw_unique)[Mark<&ast::ConstDecl::unique, true>{}]) >>
                                       -(quietly(tok(Tok::assign)) >> expr[Put<&ast::ConstDecl::value>{}]));

const auto var_decl_def = documented(
    -quietly(tok(Tok::kw_volatile)[Mark<&ast::VarDecl::is_volatile, true>{}]) >>
    (tok(Tok::kw_var) >> name[Put<&ast::VarDecl::name>{}] >> tok(Tok::colon) >> type[Put<&ast::VarDecl::type>{}] |
     tok(Tok::kw_clock)[Mark<&ast::VarDecl::is_clock, true>{}] >> name[Put<&ast::VarDecl::name>{}]) >>
    -(quietly(tok(Tok::assign)) >> expr[Put<&ast::VarDecl::init>{}]));

const auto init_decl_def = documented(tok(Tok::kw_init)[Mark<&ast::FormulaDecl::kind, ast::FormulaKind::init>{}] >>
                                      tok(Tok::colon) >> expr[Put<&ast::FormulaDecl::formula>{}]);
const auto axiom_name = peek([](const Token* at, ParseState&) {
                          return is_name(at[0].kind) && at[1].kind == Tok::colon;
                        }) >>
                        name[Put<&ast::FormulaDecl::name>{}] >> tok(Tok::colon);
const auto axiom_decl_def = documented(tok(Tok::kw_axiom) >> -(axiom_name | quietly(tok(Tok::colon))) >>
                                       expr[Put<&ast::FormulaDecl::formula>{}]);

const auto guard = -(quietly(tok(Tok::kw_when)) >> expr[Put<&ast::StepDecl::guard>{}]);
const auto step_decl_def =
    documented((tok(Tok::kw_step) | tok(Tok::kw_operation)[Mark<&ast::StepDecl::is_operation, true>{}]) >>
               name[Put<&ast::StepDecl::name>{}] >> -quietly(parameters[Put<&ast::StepDecl::parameters>{}]) >> guard >>
               block[Put<&ast::StepDecl::body>{}]);

const x3::rule<struct PatternTag, Ident> pattern = "pattern";
const auto pattern_def = name[set] | AnyOfParser(Tok::underscore, "a name")[set];
const auto from_clause = quietly(tok(Tok::kw_from)) >>
                         ((peek([](const Token* at, ParseState&) { return at[1].kind == Tok::colon; }) >>
                           name[Put<&ast::StepDecl::sender>{}] >> tok(Tok::colon) >>
                           name[Put<&ast::StepDecl::from>{}]) |
                          name[Put<&ast::StepDecl::from>{}]);
const auto receive_decl_def =
    documented(tok(Tok::kw_receive)[Mark<&ast::StepDecl::is_receive, true>{}] >>
               named("a message", name)[Put<&ast::StepDecl::name>{}] >>
               -(quietly(tok(Tok::lparen)) >> -(pattern[Append<&ast::StepDecl::pattern>{}] % tok(Tok::comma)) >>
                 tok(Tok::rparen)) >>
               -from_clause >> -(quietly(tok(Tok::kw_as)) >> name[Put<&ast::StepDecl::as>{}]) >> guard >>
               block[Put<&ast::StepDecl::body>{}]);

const auto set_item = [](auto& context) { _val(context) = std::move(_attr(context)); };
const auto role_item_def = named(
    "'const', 'var', 'init', 'step' or 'receive'",
    const_decl[set_item] | var_decl[set_item] | init_decl[set_item] | step_decl[set_item] | receive_decl[set_item]);

const auto role_decl_def = documented(
    -quietly(tok(Tok::kw_passive)[Mark<&ast::RoleDecl::passive, true>{}]) >> tok(Tok::kw_role) >>
    role_name[Put<&ast::RoleDecl::name>{}] >> -quietly(tok(Tok::kw_single)[Mark<&ast::RoleDecl::single, true>{}]) >>
    -quietly(word(Tok::kw_crashes)[Put<&ast::RoleDecl::crashes>{}]) >>
    -quietly(word(Tok::kw_byzantine)[Put<&ast::RoleDecl::byzantine>{}] >> tok(Tok::kw_upto) >> sum) >>
    tok(Tok::lbrace) >> list_of<ast::RoleItem, sync::Items>(role_item)[Put<&ast::RoleDecl::items>{}] >>
    CloseParser<sync::Items>{});

BOOST_SPIRIT_DEFINE(pattern, const_decl, var_decl, init_decl, axiom_decl, step_decl, receive_decl, role_item, role_decl)

// Declarations.

const x3::rule<struct ImportTag, ast::ImportDecl> import_decl = "import";
const x3::rule<struct EnumTag, ast::EnumDecl> enum_decl = "enum";
const x3::rule<struct SortTag, ast::SortDecl> sort_decl = "type";
const x3::rule<struct StructTag, ast::StructDecl> struct_decl = "struct";
const x3::rule<struct MessageTag, ast::MessageDecl> message_decl = "message";
const x3::rule<struct RelationTag, ast::RelationDecl> relation_decl = "relation";
const x3::rule<struct QuorumsTag, ast::QuorumsDecl> quorums_decl = "quorums";
const x3::rule<struct PropertyTag, ast::PropertyDecl> property_decl = "property";
const x3::rule<struct DeadlockTag, ast::DeadlockDecl> deadlock_decl = "deadlock ok";
const x3::rule<struct InstanceTag, ast::InstanceDecl> instance_decl = "instance";
const x3::rule<struct EntryTag, ast::InstanceEntry> instance_entry = "entry";
const x3::rule<struct NumberTag, ast::Number> signed_number = "number";
const x3::rule<struct DeliveryTag, ast::Delivery> delivery = "delivery";
const x3::rule<struct DeclarationTag, x3::unused_type> declaration = "declaration";

const auto import_decl_def =
    documented(tok(Tok::kw_import) >> name[Put<&ast::ImportDecl::library>{}] >> tok(Tok::lparen) >>
               name[Put<&ast::ImportDecl::argument>{}] >> tok(Tok::rparen));
const auto enum_decl_def =
    documented(tok(Tok::kw_enum) >> name[Put<&ast::EnumDecl::name>{}] >> tok(Tok::lbrace) >>
               (name[Append<&ast::EnumDecl::members>{}] % tok(Tok::comma)) >> -tok(Tok::comma) >> tok(Tok::rbrace));
const auto sort_decl_def = documented(tok(Tok::kw_type) >> name[Put<&ast::SortDecl::name>{}] >>
                                      -quietly(tok(Tok::kw_ordered)[Mark<&ast::SortDecl::ordered, true>{}]));
const auto struct_decl_def =
    documented(tok(Tok::kw_struct) >> name[Put<&ast::StructDecl::name>{}] >>
               -quietly(tok(Tok::kw_ordered)[Mark<&ast::StructDecl::ordered, true>{}]) >> tok(Tok::lbrace) >>
               (field[Append<&ast::StructDecl::fields>{}] % tok(Tok::comma)) >> -tok(Tok::comma) >> tok(Tok::rbrace));

template <ast::Delivery Value>
struct Deliver {
  template <class Context>
  void operator()(Context& context) const {
    _val(context) = Value;
  }
};
const auto delivery_def =
    (tok(Tok::kw_at) >> tok(Tok::kw_most) >> tok(Tok::kw_once))[Deliver<ast::Delivery::at_most_once>{}] |
    (tok(Tok::kw_in) >> tok(Tok::kw_order))[Deliver<ast::Delivery::in_order>{}];
const auto message_decl_def =
    documented(-quietly(tok(Tok::kw_signed)[Mark<&ast::MessageDecl::is_signed, true>{}]) >> tok(Tok::kw_message) >>
               name[Put<&ast::MessageDecl::name>{}] >> -quietly(parameters[Put<&ast::MessageDecl::fields>{}]) >>
               -quietly(delivery[Put<&ast::MessageDecl::delivery>{}]));

const auto field_or_type = (peek([](const Token* at, ParseState&) { return at[1].kind == Tok::colon; }) >> name >>
                            tok(Tok::colon) >> type[Append<&ast::RelationDecl::parameters>{}]) |
                           type[Append<&ast::RelationDecl::parameters>{}];
const auto relation_decl_def =
    documented(peek([](const Token* at, ParseState&) {
                 return (at[1].kind == Tok::kw_relation || at[1].kind == Tok::kw_function) &&
                        at[0].kind == Tok::kw_const && is_name(at[2].kind);
               }) >>
               tok(Tok::kw_const) >> (tok(Tok::kw_relation) | tok(Tok::kw_function)) >>
               name[Put<&ast::RelationDecl::name>{}] >> tok(Tok::lparen) >> (field_or_type % tok(Tok::comma)) >>
               tok(Tok::rparen) >> -(quietly(tok(Tok::colon)) >> type[Put<&ast::RelationDecl::result>{}]));

const auto quorums_decl_def = documented(tok(Tok::kw_quorums) >> name[Put<&ast::QuorumsDecl::name>{}] >>
                                         tok(Tok::kw_of) >> name[Put<&ast::QuorumsDecl::role>{}]);

const auto property_kind = tok(Tok::kw_safety)[Mark<&ast::PropertyDecl::kind, ast::PropertyKind::safety>{}] |
                           tok(Tok::kw_transition)[Mark<&ast::PropertyDecl::kind, ast::PropertyKind::transition>{}] |
                           tok(Tok::kw_reachable)[Mark<&ast::PropertyDecl::kind, ast::PropertyKind::reachable>{}] |
                           tok(Tok::kw_lemma)[Mark<&ast::PropertyDecl::kind, ast::PropertyKind::lemma>{}];
const auto property_decl_def = documented(property_kind >> name[Put<&ast::PropertyDecl::name>{}] >> tok(Tok::colon) >>
                                          expr[Put<&ast::PropertyDecl::formula>{}]);

const auto deadlock_decl_def = documented(tok(Tok::kw_deadlock) >> tok(Tok::kw_ok));

const auto signed_number_def = -quietly(tok(Tok::minus)[Mark<&ast::Number::negative, true>{}]) >>
                               word(Tok::number)[Put<&ast::Number::digits>{}];
const auto instance_entry_def = name[Put<&ast::InstanceEntry::name>{}] >>
                                ((tok(Tok::assign) >> signed_number[Put<&ast::InstanceEntry::low>{}]) |
                                 (tok(Tok::kw_in)[Mark<&ast::InstanceEntry::is_range, true>{}] >>
                                  signed_number[Put<&ast::InstanceEntry::low>{}] >> tok(Tok::dots) >>
                                  signed_number[Put<&ast::InstanceEntry::high>{}])) >>
                                -quietly(tok(Tok::comma) | tok(Tok::semicolon));
const auto instance_decl_def =
    documented(tok(Tok::kw_instance) >> name[Put<&ast::InstanceDecl::name>{}] >> tok(Tok::lbrace) >>
               *instance_entry[Append<&ast::InstanceDecl::entries>{}] >> tok(Tok::rbrace));

const auto declare = [](auto& context) { state(context).tree.decls.emplace_back(std::move(_attr(context))); };
const auto declaration_def =
    named("a declaration", import_decl[declare] | enum_decl[declare] | sort_decl[declare] | struct_decl[declare] |
                               message_decl[declare] | relation_decl[declare] | const_decl[declare] |
                               axiom_decl[declare] | init_decl[declare] | role_decl[declare] | property_decl[declare] |
                               deadlock_decl[declare] | quorums_decl[declare] | instance_decl[declare]);

BOOST_SPIRIT_DEFINE(import_decl, enum_decl, sort_decl, struct_decl, message_decl, relation_decl, quorums_decl,
                    property_decl, deadlock_decl, instance_decl, instance_entry, signed_number, delivery, declaration)

const auto protocol_head = (tok(Tok::kw_protocol) >> name)[([](auto& context) {
  ParseState& shared = state(context);
  shared.tree.name = _attr(context);
  shared.tree.doc = doc_before(shared.list(), shared.file(), shared.list().tokens.front().span.begin);
})];
const auto protocol_def = protocol_head >> list_of<x3::unused_type, sync::Declarations>(declaration) >> tok(Tok::end);

// Variants.

const x3::rule<struct EditPlaceTag, ast::Place> edit_place = "place";
const x3::rule<struct ChangeTag, ast::Change> change = "change";
const x3::rule<struct EditTag, ast::Edit> edit = "edit";

using ast::PlaceKind;
template <PlaceKind Kind>
using PlaceIs = Mark<&ast::Place::kind, Kind>;
const auto place_name = name[Put<&ast::Place::name>{}];
const auto outer_place = (tok(Tok::kw_axiom)[PlaceIs<PlaceKind::axiom>{}] >> -place_name) |
                         tok(Tok::kw_init)[PlaceIs<PlaceKind::init>{}] |
                         (tok(Tok::kw_message)[PlaceIs<PlaceKind::message>{}] >> place_name) |
                         ((tok(Tok::kw_safety) | tok(Tok::kw_transition) | tok(Tok::kw_reachable) |
                           tok(Tok::kw_lemma))[PlaceIs<PlaceKind::property>{}] >>
                          place_name);
const auto role_place = name[Put<&ast::Place::role>{}] >> tok(Tok::comma) >>
                        ((tok(Tok::kw_step)[PlaceIs<PlaceKind::step>{}] >> place_name) |
                         (tok(Tok::kw_receive)[PlaceIs<PlaceKind::receive>{}] >> place_name >>
                          -(quietly(tok(Tok::kw_as)) >> name[Put<&ast::Place::as>{}])) |
                         (tok(Tok::kw_const)[PlaceIs<PlaceKind::constant>{}] >> place_name) |
                         (tok(Tok::kw_var)[PlaceIs<PlaceKind::variable>{}] >> place_name) |
                         tok(Tok::kw_init)[PlaceIs<PlaceKind::init>{}]);
const auto edit_place_def = spanned(
    named("a place",
          (peek([](const Token* at, ParseState&) { return at[1].kind == Tok::comma; }) >> role_place) | outer_place));

using ast::ChangeKind;
template <ChangeKind Kind>
using ChangeIs = Mark<&ast::Change::kind, Kind>;
const auto bare_drop = peek([](const Token* at, ParseState&) {
  return at->kind == Tok::end || at->kind == Tok::kw_expect || at->kind == Tok::semicolon || at->kind == Tok::kw_in;
});
const auto drop_change =
    tok(Tok::kw_drop) >>
    (tok(Tok::kw_guard)[ChangeIs<ChangeKind::drop_guard>{}] |
     (tok(Tok::kw_conjunct)[ChangeIs<ChangeKind::drop_conjunct>{}] >> expr[Put<&ast::Change::from>{}]) |
     (tok(Tok::kw_assignment)[ChangeIs<ChangeKind::drop_assignment>{}] >> name[Put<&ast::Change::name>{}]) |
     (tok(Tok::kw_send)[ChangeIs<ChangeKind::drop_send>{}] >> name[Put<&ast::Change::name>{}]) |
     block[Put<&ast::Change::from_block>{}] >> x3::eps[ChangeIs<ChangeKind::drop_block>{}] |
     bare_drop[ChangeIs<ChangeKind::drop_place>{}]);
/// `{` may begin statements or a set: only statements assign, send, bind.
bool starts_block(const Token* at, ParseState&) {
  if (at->kind != Tok::lbrace) return false;
  for (int depth = 0; at->kind != Tok::end; ++at) {
    if (at->kind == Tok::lbrace) ++depth;
    if (at->kind == Tok::rbrace && --depth == 0) return false;
    switch (at->kind) {
      case Tok::assign:
      case Tok::plus_assign:
      case Tok::minus_assign:
      case Tok::kw_send:
      case Tok::kw_if:
      case Tok::kw_let:
      case Tok::kw_choose:
        return true;
      default:
        break;
    }
  }
  return false;
}
const auto replace_change = tok(Tok::kw_replace) >>
                            ((peek(starts_block) >> block[Put<&ast::Change::from_block>{}] >> tok(Tok::kw_by) >>
                              block[Put<&ast::Change::to_block>{}])[ChangeIs<ChangeKind::replace_block>{}] |
                             (expr[Put<&ast::Change::from>{}] >> tok(Tok::kw_by) >>
                              expr[Put<&ast::Change::to>{}])[ChangeIs<ChangeKind::replace_expr>{}]);
const auto change_def =
    spanned(named("'drop', 'replace', 'add' or 'set'",
                  drop_change | replace_change |
                      (tok(Tok::kw_add)[ChangeIs<ChangeKind::add_block>{}] >> block[Put<&ast::Change::to_block>{}]) |
                      (tok(Tok::kw_set)[ChangeIs<ChangeKind::set_delivery>{}] >> tok(Tok::kw_delivery) >>
                       (tok(Tok::kw_any) | delivery[Put<&ast::Change::delivery>{}]))) >>
            -quietly(tok(Tok::semicolon)));
const auto edit_def = spanned(named("'in' or 'expect'", tok(Tok::kw_in)) >> edit_place[Put<&ast::Edit::place>{}] >>
                              tok(Tok::colon) >> +change[Append<&ast::Edit::changes>{}]);
BOOST_SPIRIT_DEFINE(edit_place, change, edit)

const auto variant_head = (tok(Tok::kw_variant) >> name >> tok(Tok::kw_of) >> name)[([](auto& context) {
  ParseState& shared = state(context);
  shared.tree.name = at_c<0>(_attr(context));
  shared.tree.of = at_c<1>(_attr(context));
  shared.tree.doc = doc_before(shared.list(), shared.file(), shared.list().tokens.front().span.begin);
})];
const auto variant_def =
    variant_head >> list_of<ast::Edit, sync::Edits>(
                        edit)[([](auto& context) { state(context).tree.edits = std::move(_attr(context)); })] >>
    tok(Tok::kw_expect) >>
    tok(Tok::kw_violated) >> name[([](auto& context) { state(context).tree.expected = _attr(context); })] >>
    tok(Tok::end);

template <class Parser>
bool run(ParseState& shared, const Parser& parser) {
  Iterator first = shared.list().tokens.data();
  return x3::parse(first, shared.end() + 1, x3::with<StateTag>(shared)[parser]);
}

}  // namespace

bool protocol_file(ParseState& shared) { return run(shared, protocol_def); }

bool variant_file(ParseState& shared) { return run(shared, variant_def); }

}  // namespace tenet::frontend::grammar
