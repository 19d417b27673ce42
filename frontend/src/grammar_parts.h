/// The parsers that the grammar is put together from: single tokens, names,
/// the depth guard, rule names, and lists that recover from errors. Included
/// by grammar.cpp only.
#pragma once

#include <array>
#include <boost/spirit/home/x3.hpp>
#include <utility>
#include <vector>

#include "parse_state.h"

namespace tenet::frontend::grammar {

namespace x3 = boost::spirit::x3;

using Iterator = const Token*;
struct StateTag;

template <class Context>
ParseState& state(const Context& context) {
  return x3::get<StateTag>(context);
}

template <class Value, class Attribute>
void store(Value&& value, Attribute& attribute) {
  if constexpr (!std::is_same_v<std::remove_cv_t<Attribute>, x3::unused_type>) {
    attribute = std::forward<Value>(value);
  }
}

/// One token of a kind.
struct TokenParser : x3::parser<TokenParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  constexpr explicit TokenParser(Tok wanted) : kind(wanted) {}
  Tok kind;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute&) const {
    if (state(context).stopped()) return false;
    if (first->kind == kind) {
      if (kind != Tok::end) ++first;
      return true;
    }
    state(context).expected(first, spelling(kind), kind != Tok::end);
    return false;
  }
};

/// A name; with `plain`, no word of the grammar at all.
struct NameParser : x3::parser<NameParser> {
  using attribute_type = ast::Ident;
  static constexpr bool has_attribute = true;
  constexpr NameParser(std::string_view wanted, bool plain_only) : label(wanted), plain(plain_only) {}
  std::string_view label;
  bool plain;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute& attribute) const {
    if (state(context).stopped()) return false;
    if (plain ? first->kind == Tok::name : is_name(first->kind)) {
      store(ast::Ident{first->text, first->span}, attribute);
      ++first;
      return true;
    }
    state(context).expected(first, label, false);
    return false;
  }
};

/// Any of some kinds; the attribute is the identifier made of it.
struct AnyOfParser : x3::parser<AnyOfParser> {
  using attribute_type = ast::Ident;
  static constexpr bool has_attribute = true;
  constexpr AnyOfParser(Tok wanted, std::string_view name) : kind(wanted), label(name) {}
  Tok kind;
  std::string_view label;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute& attribute) const {
    if (state(context).stopped()) return false;
    if (first->kind == kind) {
      store(ast::Ident{first->text, first->span}, attribute);
      ++first;
      return true;
    }
    state(context).expected(first, label, label == spelling(kind));
    return false;
  }
};

struct InfixOperator {
  Tok kind;
  ast::BinaryOp op;
};

/// An infix operator out of a table.
template <std::size_t N>
struct OperatorParser : x3::parser<OperatorParser<N>> {
  using attribute_type = ast::BinaryOp;
  static constexpr bool has_attribute = true;
  constexpr explicit OperatorParser(const InfixOperator (&list)[N]) : entries(std::to_array(list)) {}
  std::array<InfixOperator, N> entries;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute& attribute) const {
    if (state(context).stopped()) return false;
    for (const InfixOperator& entry : entries) {
      if (first->kind == entry.kind) {
        store(entry.op, attribute);
        ++first;
        return true;
      }
    }
    ++state(context).quiet;
    state(context).expected(first, "an operator", false);
    --state(context).quiet;
    return false;
  }
};

template <std::size_t N>
constexpr OperatorParser<N> operators(const InfixOperator (&list)[N]) {
  return OperatorParser<N>(list);
}

/// Looks ahead without reading: a predicate over tokens.
template <class Predicate>
struct PeekParser : x3::parser<PeekParser<Predicate>> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  constexpr explicit PeekParser(Predicate wanted) : predicate(wanted) {}
  Predicate predicate;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute&) const {
    // Behind the end there is nothing to look at.
    return !state(context).stopped() && first->kind != Tok::end && predicate(first, state(context));
  }
};

/// One level deeper, or a stop if that is too deep.
template <class Subject>
struct NestedDirective : x3::unary_parser<Subject, NestedDirective<Subject>> {
  using Base = x3::unary_parser<Subject, NestedDirective<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr explicit NestedDirective(const Subject& inner) : Base(inner) {}

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RContext& rcontext,
             Attribute& attribute) const {
    if (state(context).stopped() || !state(context).enter(first)) return false;
    const bool parsed = this->subject.parse(first, last, context, rcontext, attribute);
    state(context).leave();
    return parsed;
  }
};

/// Gives a rule the name that error messages use.
template <class Subject>
struct NamedDirective : x3::unary_parser<Subject, NamedDirective<Subject>> {
  using Base = x3::unary_parser<Subject, NamedDirective<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr NamedDirective(const Subject& inner, std::string_view name) : Base(inner), label(name) {}
  std::string_view label;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RContext& rcontext,
             Attribute& attribute) const {
    const Iterator begin = first;
    const std::size_t mark = state(context).mark(begin);
    if (this->subject.parse(first, last, context, rcontext, attribute)) return true;
    state(context).relabel(begin, mark, label);
    return false;
  }
};

/// The span of what a rule has read goes into the rule's value.
inline void place(ParseState& shared, ast::ExprRef& node, Iterator first, Iterator last) {
  shared.tree.exprs[node.index].span = {first->span.begin, (last - 1)->span.end};
}
inline void place(ParseState& shared, ast::TypeRef& node, Iterator first, Iterator last) {
  shared.tree.types[node.index].span = {first->span.begin, (last - 1)->span.end};
}
template <class Value>
void place(ParseState&, Value& value, Iterator first, Iterator last) {
  value.span = {first->span.begin, (last - 1)->span.end};
}

/// Notes where the rule's value is written, and with `Doc` its documentation.
template <class Subject, bool Doc>
struct SpanDirective : x3::unary_parser<Subject, SpanDirective<Subject, Doc>> {
  using Base = x3::unary_parser<Subject, SpanDirective<Subject, Doc>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr explicit SpanDirective(const Subject& inner) : Base(inner) {}

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RContext& rcontext,
             Attribute& attribute) const {
    const Iterator begin = first;
    if (!this->subject.parse(first, last, context, rcontext, attribute)) return false;
    place(state(context), rcontext, begin, first);
    if constexpr (Doc) rcontext.doc = doc_before(state(context).list(), state(context).file(), begin->span.begin);
    return true;
  }
};

/// What it would accept is offered only where nothing else fits.
template <class Subject>
struct QuietDirective : x3::unary_parser<Subject, QuietDirective<Subject>> {
  using Base = x3::unary_parser<Subject, QuietDirective<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr explicit QuietDirective(const Subject& inner) : Base(inner) {}

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RContext& rcontext,
             Attribute& attribute) const {
    ++state(context).quiet;
    const bool parsed = this->subject.parse(first, last, context, rcontext, attribute);
    --state(context).quiet;
    return parsed;
  }
};

/// Elements up to a closing token. An element that does not parse is
/// reported, skipped, and the list goes on behind it. `Sync` knows where a
/// list ends and where an element can begin.
template <class Subject, class Element, class Sync>
struct ListDirective : x3::unary_parser<Subject, ListDirective<Subject, Element, Sync>> {
  using Base = x3::unary_parser<Subject, ListDirective<Subject, Element, Sync>>;
  using attribute_type = std::vector<Element>;
  static constexpr bool has_attribute = true;
  static constexpr bool handles_container = true;
  constexpr explicit ListDirective(const Subject& inner) : Base(inner) {}

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RContext& rcontext,
             Attribute& attribute) const {
    ParseState& shared = state(context);
    while (!shared.stopped() && !Sync::at_end(first)) {
      const Iterator begin = first;
      Element element{};
      if (this->subject.parse(first, last, context, rcontext, element) && first != begin) {
        if constexpr (!std::is_same_v<std::remove_cv_t<Attribute>, x3::unused_type>)
          attribute.push_back(std::move(element));
        continue;
      }
      if (shared.stopped()) return false;
      const Iterator failed = shared.report(begin);
      first = Sync::next(begin, failed);
      shared.skipped(begin, first);
    }
    return !shared.stopped();
  }
};

/// The closing brace of a list. Where it is missing because something that
/// cannot be inside begins, that is reported and reading goes on there.
template <class Sync>
struct CloseParser : x3::parser<CloseParser<Sync>> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <class Context, class RContext, class Attribute>
  bool parse(Iterator& first, const Iterator&, const Context& context, RContext&, Attribute&) const {
    ParseState& shared = state(context);
    if (shared.stopped()) return false;
    if (first->kind == Tok::rbrace) {
      ++first;
      return true;
    }
    if (first->kind == Tok::end) {
      shared.expected(first, "}", true);
      shared.report(first);
    } else {
      shared.report_unclosed(first);
    }
    return !shared.stopped();
  }
};

template <class Subject>
constexpr auto nested(const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return NestedDirective<Parser>(x3::as_parser(subject));
}

template <class Subject>
constexpr auto spanned(const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return SpanDirective<Parser, false>(x3::as_parser(subject));
}

template <class Subject>
constexpr auto documented(const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return SpanDirective<Parser, true>(x3::as_parser(subject));
}

template <class Subject>
constexpr auto quietly(const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return QuietDirective<Parser>(x3::as_parser(subject));
}

template <class Subject>
constexpr auto named(std::string_view label, const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return NamedDirective<Parser>(x3::as_parser(subject), label);
}

template <class Element, class Sync, class Subject>
constexpr auto list_of(const Subject& subject) {
  using Parser = typename x3::extension::as_parser<Subject>::value_type;
  return ListDirective<Parser, Element, Sync>(x3::as_parser(subject));
}

}  // namespace tenet::frontend::grammar
