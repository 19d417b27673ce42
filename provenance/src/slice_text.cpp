#include <array>
#include <charconv>
#include <type_traits>

#include "slice.h"

namespace tenet::provenance {

namespace {

class Scribe {
 public:
  std::string write(const Slice& slice) {
    const ir::Protocol& p = slice.protocol;
    part("types", p.types.size());
    for (std::size_t i = 0; i < p.types.size(); ++i) {
      const ir::Type& t = p.types[ir::TypeId(i)];
      row(t.kind, t.declaration, t.first, t.second);
    }
    part("enums", p.enums.size());
    for (const ir::EnumDecl& e : p.enums) row(e.members.size());
    part("sorts", p.sorts.size());
    for (const ir::SortDecl& s : p.sorts) row(s.ordered);
    part("structs", p.structs.size());
    for (const ir::StructDecl& s : p.structs) row(s.ordered, s.fields);
    part("messages", p.messages.size());
    for (const ir::MessageDecl& m : p.messages) row(m.delivery, m.fields);
    part("roles", p.roles.size());
    for (const ir::RoleDecl& r : p.roles) row(r.single);
    part("constants", p.constants.size());
    for (const ir::ConstDecl& c : p.constants) row(c.role, c.parameters, c.type, c.kind, c.unique, c.value);
    part("variables", p.variables.size());
    for (const ir::VarDecl& v : p.variables) row(v.role, v.type, v.init, v.is_volatile);
    part("locals", p.locals.size());
    for (const ir::LocalDecl& l : p.locals) row(l.type);
    part("expressions", p.exprs.size());
    for (const ir::Expr& e : p.exprs) row(e.op, e.type, e.ref, e.value, e.args, e.binders);
    part("statements", p.stmts.size());
    for (const ir::Stmt& s : p.stmts) {
      row(s.kind, s.var, s.value, s.local, s.then_branch, s.else_branch, s.message, s.args, s.target);
    }
    part("steps", p.steps.size());
    for (const ir::Step& s : p.steps) {
      row(s.role, s.parameters, s.receive.has_value(), s.guard, s.body);
      if (s.receive) row(s.receive->message, s.receive->fields, s.receive->sender, s.receive->from);
    }
    part("axioms", p.axioms.size());
    for (const ir::Formula& f : p.axioms) row(f.formula);
    part("inits", p.inits.size());
    for (const ir::Formula& f : p.inits) row(f.formula);
    part("facts", slice.facts.size());
    for (const DerivedFact& f : slice.facts) {
      row(f.role, f.host, f.formula, f.two_state, f.focus, f.set_grows, f.keys);
    }
    part("hypotheses", slice.hypotheses.size());
    for (const Hypothesis& h : slice.hypotheses) row(h.formula, h.only_before_last);
    const Subject& s = slice.subject;
    part("subject", 1);
    row(s.reach, s.formulas, s.locals, s.role, s.step, s.only_step);
    return std::move(out_);
  }

 private:
  void part(std::string_view title, std::size_t count) {
    out_ += '\n';
    out_ += title;
    out_ += ' ';
    number(static_cast<std::int64_t>(count));
    out_ += '\n';
  }
  template <typename... Values>
  void row(const Values&... values) {
    (value(values), ...);
    out_ += ';';
  }
  void number(std::int64_t n) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
    out_.append(digits.data(), end);
    out_ += ' ';
  }
  template <typename Value>
    requires std::is_integral_v<Value> || std::is_enum_v<Value>
  void value(Value v) {
    number(static_cast<std::int64_t>(v));
  }
  template <typename Tag>
  void value(ir::Id<Tag> id) {
    if (!id.valid()) {
      out_ += "- ";
    } else {
      number(id.value);
    }
  }
  void value(const ir::FieldDecl& field) { value(field.type); }
  template <typename Element>
  void value(const std::vector<Element>& list) {
    out_ += '(';
    for (const Element& element : list) value(element);
    out_ += ") ";
  }

  std::string out_;
};

}  // namespace

std::string text_of(const Slice& slice) { return Scribe().write(slice); }

}  // namespace tenet::provenance
