#include "translate.h"

#include <algorithm>

#include <fmt/format.h>

namespace tenet::frontend::pyv {
namespace {

/// Definitions are put in where they are called, so a short file can be a long protocol.
constexpr std::size_t kMaxExprs = std::size_t{1} << 20;
constexpr int kMaxDepth = 1200;
/// The IR's own bound is 800; assignments add some levels.
constexpr std::uint16_t kMaxHeight = 700;

ir::Op op_of(Kind kind) {
  switch (kind) {
    case Kind::implies:
      return ir::Op::implies;
    case Kind::ge:
      return ir::Op::ge;
    case Kind::gt:
      return ir::Op::gt;
    case Kind::le:
      return ir::Op::le;
    case Kind::lt:
      return ir::Op::lt;
    case Kind::plus:
      return ir::Op::add;
    case Kind::minus:
      return ir::Op::sub;
    case Kind::times:
      return ir::Op::mul;
    default:
      return ir::Op::iff;
  }
}

}  // namespace

void Translator::refuse(const char* id, Span span, std::string message) {
  diagnostics_.error(id, span, std::move(message));
  throw Refused{};
}

ir::TypeId Translator::type(Sort sort) {
  if (sort == Sort::boolean()) return ir_.types.boolean();
  if (sort == Sort::integer()) return ir_.types.integer();
  return tables_.sorts[sort.index()];
}

/// Functions of several arguments are functions to functions.
ir::TypeId Translator::type(const Signature& signature) {
  ir::TypeId made = type(signature.result);
  for (auto sort = signature.arity.rbegin(); sort != signature.arity.rend(); ++sort) {
    made = ir_.types.function(type(*sort), made);
  }
  return made;
}

ir::LocalId Translator::local(const std::string& name, ir::TypeId type, Span span) {
  return ir_.add(ir::LocalDecl{name, type, span});
}

void Translator::check_heights(Span span) {
  for (std::size_t i = heights_.size(); i < ir_.exprs.size(); ++i) {
    std::uint16_t height = 0;
    for (const ir::ExprId arg : ir_.exprs[i].args) {
      if (arg.valid()) height = std::max(height, heights_[arg.index()]);
    }
    if (height >= kMaxHeight) {
      refuse("nested-too-deeply", span,
             fmt::format("with its definitions put in, this is nested more than {} deep", kMaxHeight));
    }
    heights_.push_back(static_cast<std::uint16_t>(height + 1));
  }
}

// ---- Symbols

ir::ExprId Translator::apply(ir::ExprId function, const std::vector<ir::ExprId>& args) {
  for (const ir::ExprId arg : args) function = make_.binary(ir::Op::apply, function, arg);
  return function;
}

ir::ExprId Translator::current(std::size_t symbol) {
  const ir::VarId var = tables_.variables[symbol];
  variables_read_.insert(var);
  const bool in_step = reading_ == Reading::before;
  return make_.state_var(var, in_step ? make_.self(tables_.role) : make_.single_host(tables_.role));
}

ir::ExprId Translator::symbol(const Expr& e, std::size_t symbol, std::vector<ir::ExprId> args, int state) {
  if (!p_.file.symbols[symbol].is_mutable) return make_.global_const(tables_.constants[symbol], std::move(args));
  const int states = reading_ == Reading::state ? 1 : 2;
  if (state >= states) {
    refuse("not-allowed-here", e.span,
           fmt::format("'{}' would be read in a state that this formula does not speak of", e.name));
  }
  if (reading_ == Reading::two_states && state == 0) {
    return apply(make_.unary(ir::Op::old, current(symbol)), args);
  }
  if (reading_ == Reading::before && state == 1) {
    if (new_->values[symbol] != nullptr) return value(*new_->values[symbol], args);
    const ir::LocalId chosen = new_->chosen[symbol];
    if (chosen.valid()) {
      locals_read_.insert(chosen);
      return apply(make_.local(chosen), args);
    }
  }
  return apply(current(symbol), args);
}

/// The new value at these arguments.
ir::ExprId Translator::value(const Next& next, const std::vector<ir::ExprId>& args) {
  Environment inside = next.environment;
  for (std::size_t i = 0; i < next.parameters.size(); ++i) {
    inside = bindings_.value(inside, next.parameters[i], args[i]);
  }
  const auto said = [&] {
    if (next.body == nullptr) return make_.boolean(next.value);
    return formula(*next.body, inside, next.state);
  };
  switch (next.kind) {
    case Next::Kind::truth:
    case Next::Kind::body:
      return said();
    case Next::Kind::branch: {
      const ir::ExprId condition = said();
      const ir::ExprId then = value(*next.first, args);
      return make_.ite(condition, then, value(*next.second, args));
    }
    case Next::Kind::update: {
      std::vector<ir::ExprId> same;
      for (std::size_t i = 0; i < next.point.size(); ++i) {
        same.push_back(equal(args[i], formula(*next.point[i], inside, next.state)));
      }
      const ir::ExprId here = make_.conjunction(std::move(same));
      const ir::ExprId then = said();
      return make_.ite(here, then, value(*next.first, args));
    }
  }
  return {};
}

ir::ExprId Translator::function(std::size_t symbol, const Next& next) {
  const Signature& signature = p_.signatures[symbol];
  std::vector<ir::LocalId> binders;
  std::vector<ir::ExprId> args;
  for (std::size_t i = 0; i < signature.arity.size(); ++i) {
    const Next* named = &next;
    while (named->parameters.empty() && named->first != nullptr) named = named->first;
    const std::string name = i < named->parameters.size() ? named->parameters[i] : fmt::format("X{}", i + 1);
    binders.push_back(local(name, type(signature.arity[i]), p_.file.symbols[symbol].span));
    args.push_back(make_.local(binders.back()));
  }
  ir::ExprId made = value(next, args);
  for (auto binder = binders.rbegin(); binder != binders.rend(); ++binder) made = make_.function_build(*binder, made);
  return made;
}

// ---- Formulas

ir::ExprId Translator::equal(ir::ExprId a, ir::ExprId b) {
  return make_.binary(is_boolean(a) ? ir::Op::iff : ir::Op::eq, a, b);
}

/// Arguments of definitions are read where the parameter stands, as if they had been written there; those
/// of a primed call where the call stands.
ir::ExprId Translator::called(const Expr& e, const Definition& definition, Environment environment, int state) {
  Environment inside = nullptr;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const std::string& name = definition.parameters[i].name;
    inside = e.primes > 0 ? bindings_.value(inside, name, formula(*e.args[i], environment, state))
                          : bindings_.text(inside, name, e.args[i], environment);
  }
  return formula(*definition.body, inside, state + static_cast<int>(e.primes));
}

ir::ExprId Translator::named(const Expr& e, Environment environment, int state) {
  if (const Binding* bound = find(environment, e.name)) {
    if (bound->text == nullptr) {
      const ir::Expr& value = ir_[bound->value];
      if (value.op == ir::Op::local) locals_read_.insert(ir::LocalId(value.ref));
      return bound->value;
    }
    return formula(*bound->text, bound->around, bound->state == Binding::kWhereRead ? state : bound->state);
  }
  const Meaning& meaning = *p_.find(e.name);
  if (meaning.kind == Meaning::Kind::definition) {
    return called(e, p_.file.definitions[meaning.index], environment, state);
  }
  // `r'(t)` reads `r` in the next state, but `t` in this one.
  std::vector<ir::ExprId> args;
  for (const Expr* arg : e.args) args.push_back(formula(*arg, environment, state));
  make_.at(e.span);
  return symbol(e, meaning.index, std::move(args), state + static_cast<int>(e.primes));
}

ir::ExprId Translator::quantified(const Expr& e, Environment environment, int state) {
  std::vector<ir::LocalId> binders;
  Environment inside = environment;
  for (const Variable& variable : e.variables) {
    binders.push_back(local(variable.name, type(variable.sort), variable.span));
    inside = bindings_.value(inside, variable.name, make_.local(binders.back()));
  }
  const ir::ExprId body = formula(*e.args[0], inside, state);
  make_.at(e.span);
  return make_.quantifier(e.kind == Kind::forall ? ir::Op::forall : ir::Op::exists, std::move(binders), body);
}

ir::ExprId Translator::distinct(const Expr& e, Environment environment, int state) {
  std::vector<ir::ExprId> values;
  for (const Expr* arg : e.args) values.push_back(formula(*arg, environment, state));
  make_.at(e.span);
  std::vector<ir::ExprId> differ;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (ir_.exprs.size() > kMaxExprs) break;
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      differ.push_back(is_boolean(values[i]) ? make_.negate(make_.binary(ir::Op::iff, values[i], values[j]))
                                             : make_.binary(ir::Op::ne, values[i], values[j]));
    }
  }
  return make_.conjunction(std::move(differ));
}

ir::ExprId Translator::compound(const Expr& e, Environment environment, int state) {
  std::vector<ir::ExprId> args;
  for (const Expr* arg : e.args) args.push_back(formula(*arg, environment, state));
  make_.at(e.span);
  switch (e.kind) {
    case Kind::negation:
      return make_.negate(args[0]);
    case Kind::conjunction:
      return make_.conjunction(std::move(args));
    case Kind::disjunction:
      return make_.disjunction(std::move(args));
    case Kind::equal:
      return equal(args[0], args[1]);
    case Kind::differs:
      if (is_boolean(args[0])) return make_.negate(make_.binary(ir::Op::iff, args[0], args[1]));
      return make_.binary(ir::Op::ne, args[0], args[1]);
    case Kind::branch:
      return make_.ite(args[0], args[1], args[2]);
    default:
      return make_.binary(op_of(e.kind), args[0], args[1]);
  }
}

ir::ExprId Translator::formula(const Expr& e, Environment environment, int state) {
  if (ir_.exprs.size() > kMaxExprs) {
    refuse("file-too-complex", e.span,
           fmt::format("with definitions put in, there are more than {} expressions", kMaxExprs));
  }
  if (depth_ >= kMaxDepth) {
    refuse("nested-too-deeply", e.span,
           fmt::format("with its definitions put in, this is nested more than {} deep", kMaxDepth));
  }
  ++depth_;
  ir::ExprId made;
  make_.at(e.span);
  switch (e.kind) {
    case Kind::truth:
      made = make_.boolean(e.number != 0);
      break;
    case Kind::integer:
      made = make_.integer(e.number);
      break;
    case Kind::name:
    case Kind::apply:
      made = named(e, environment, state);
      break;
    case Kind::next:
      made = formula(*e.args[0], environment, state + 1);
      break;
    case Kind::forall:
    case Kind::exists:
      made = quantified(e, environment, state);
      break;
    case Kind::let: {
      const ir::ExprId value = formula(*e.args[0], environment, state);
      made = formula(*e.args[1], bindings_.value(environment, e.variables[0].name, value), state);
      break;
    }
    case Kind::distinct:
      made = distinct(e, environment, state);
      break;
    default:
      made = compound(e, environment, state);
      break;
  }
  --depth_;
  return made;
}

ir::ExprId Translator::conjunct(const Conjunct& conjunct, int state) {
  if (conjunct.prefix.empty()) return formula(*conjunct.body, conjunct.environment, state);
  std::vector<ir::LocalId> binders;
  Environment inside = conjunct.environment;
  for (const Variable* variable : conjunct.prefix) {
    binders.push_back(local(variable->name, type(variable->sort), variable->span));
    inside = bindings_.value(inside, variable->name, make_.local(binders.back()));
  }
  const ir::ExprId body = formula(*conjunct.body, inside, state);
  // Only what the body reads: sorts are never empty.
  std::vector<ir::LocalId> used;
  std::copy_if(binders.begin(), binders.end(), std::back_inserter(used),
               [&](ir::LocalId id) { return locals_read_.count(id) > 0; });
  make_.at(conjunct.body->span);
  return used.empty() ? body : make_.quantifier(ir::Op::forall, std::move(used), body);
}

ir::ExprId Translator::rest(const Rest& rest, int state) {
  if (rest.condition == nullptr) return conjunct(rest.conjunct, state);
  const ir::ExprId condition = formula(*rest.condition, rest.environment, state);
  const auto all = [&](const std::vector<Rest>& parts) {
    std::vector<ir::ExprId> made;
    for (const Rest& part : parts) made.push_back(this->rest(part, state));
    return make_.conjunction(std::move(made));
  };
  if (rest.otherwise.empty()) return make_.binary(ir::Op::implies, condition, all(rest.then));
  if (rest.then.empty()) return make_.disjunction({condition, all(rest.otherwise)});
  const ir::ExprId then = all(rest.then);
  return make_.ite(condition, then, all(rest.otherwise));
}

}  // namespace tenet::frontend::pyv
