#include "tenet/smt/term.h"

#include <cassert>

#include "term_data.h"

namespace tenet::smt {

SortKind Sort::kind() const { return data_->kind; }
const std::string& Sort::name() const { return data_->name; }
const std::vector<std::string>& Sort::members() const { return data_->members; }
std::uint32_t Sort::id() const { return data_->id; }

const std::string& Function::name() const { return data_->name; }
const std::vector<Sort>& Function::domain() const { return data_->domain; }
Sort Function::range() const { return data_->range; }
std::uint32_t Function::id() const { return data_->id; }

Kind Term::kind() const { return data_->kind; }
Sort Term::sort() const { return data_->sort; }
std::uint32_t Term::id() const { return data_->id; }
std::span<const Term> Term::args() const { return data_->args; }
bool Term::closed() const { return data_->closed; }
bool Term::quantifier_free() const { return data_->quantifier_free; }
bool Term::is_true() const { return data_->kind == Kind::boolean && !data_->number.is_zero(); }
bool Term::is_false() const { return data_->kind == Kind::boolean && data_->number.is_zero(); }
const Rational& Term::number() const {
  assert(kind() == Kind::number);
  return data_->number;
}
std::size_t Term::member() const {
  assert(kind() == Kind::enumerator);
  return static_cast<std::size_t>(data_->number.numerator());
}
Function Term::function() const {
  assert(kind() == Kind::application);
  return data_->function;
}
const std::string& Term::variable_name() const {
  assert(kind() == Kind::variable);
  return *data_->name;
}
std::span<const Term> Term::bound() const {
  assert(is_quantifier());
  return data_->quantifier->variables;
}
const std::vector<std::vector<Term>>& Term::patterns() const {
  assert(is_quantifier());
  return data_->quantifier->patterns;
}
const std::string& Term::quantifier_name() const {
  assert(is_quantifier());
  return data_->quantifier->name;
}
bool Term::is_literal() const {
  const Term atom = kind() == Kind::not_ ? arg(0) : *this;
  return atom.sort().is_boolean() && atom.kind() == Kind::application && atom.args().empty();
}
const TermManager* Term::manager() const { return data_->manager; }

}  // namespace tenet::smt
