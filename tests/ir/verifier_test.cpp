/// A breach of every rule, and only that one, in a protocol that is else fine.
#include "tenet/ir/verifier.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {
namespace {

using Break = std::function<void(Protocol&)>;

/// The first breach after `change`.
std::string breach(const Break& change, Protocol p = kitchen_sink()) {
  EXPECT_THAT(verify_ir(p), testing::IsEmpty());
  change(p);
  const std::vector<std::string> found = verify_ir(p);
  return found.empty() ? "none" : found.front();
}

/// The first expression of that kind; the very first if there is none.
Expr& first(Protocol& p, Op op) {
  const ExprId found = find_expr(p, [&](const Expr& e) { return e.op == op && !e.args.empty(); });
  const ExprId leaf = found.valid() ? found : find_expr(p, [&](const Expr& e) { return e.op == op; });
  return p.exprs[leaf.valid() ? leaf.index() : 0];
}
Stmt& first(Protocol& p, StmtKind kind) {
  for (Stmt& stmt : p.stmts) {
    if (stmt.kind == kind) return stmt;
  }
  return p.stmts.front();
}

void expect(const char* wanted, const Break& change) { EXPECT_THAT(breach(change), testing::HasSubstr(wanted)); }

TEST(Verifier, Declarations) {
  expect("has wrong parts", [](Protocol& p) { p.types.intern({TypeKind::set}); });
  expect("has wrong parts", [](Protocol& p) { p.types.intern({TypeKind::boolean, 0, TypeId(0)}); });
  expect("refers to no declaration", [](Protocol& p) { p.types.sort(SortId(9)); });
  expect("is not supported yet", [](Protocol& p) { p.types.real(); });
  expect("two declarations are named 'Node'", [](Protocol& p) { p.roles[0].name = "Node"; });
  expect("two declarations are named 'red'", [](Protocol& p) { p.enums[0].members[1] = "red"; });
  expect("has no members", [](Protocol& p) { p.enums.push_back({"Empty", {}, {}}); });
  expect("two declarations are named 'Ping'", [](Protocol& p) { p.messages[1].name = "Ping"; });
  expect("two declarations are named 'stays'", [](Protocol& p) { p.properties[0].name = "stays"; });
  expect("two declarations are named 'seen'", [](Protocol& p) { p.variables[2].name = "seen"; });
  expect("two declarations are named 'receive Ping'", [](Protocol& p) { p.steps[2].name = "receive Ping"; });
  expect("has two fields of one name", [](Protocol& p) { p.structs[0].fields[1].name = "count"; });
  expect("has no type", [](Protocol& p) { p.messages[0].fields[0].type = {}; });
  expect("contains itself",
         [](Protocol& p) { p.structs[0].fields[1].type = p.types.set(p.types.structure(StructId(0))); });
  expect("is in order, which is not supported yet", [](Protocol& p) { p.messages[1].delivery = Delivery::in_order; });
  expect("is volatile", [](Protocol& p) { p.variables[0].is_volatile = true; });
  expect("does not take 1 host(s)", [](Protocol& p) { p.constants[0].parameters.clear(); });
  expect("has a wrong result type", [](Protocol& p) { p.constants[1].type = p.constants[0].type; });
  expect("is unique but of no role", [](Protocol& p) { p.constants[2].unique = true; });
  expect("is defined without a value", [](Protocol& p) { p.constants[2].kind = ConstKind::defined; });
  expect("is defined without a value, or the reverse", [](Protocol& p) { p.constants[3].kind = ConstKind::free; });
  expect("does not list its variables", [](Protocol& p) { p.roles[1].variables.pop_back(); });
  expect("does not list its steps", [](Protocol& p) { std::swap(p.roles[1].steps[0], p.roles[1].steps[1]); });
}

TEST(Verifier, Shape) {
  expect("has no type", [](Protocol& p) { first(p, Op::add).type = {}; });
  expect("refers to nothing", [](Protocol& p) { first(p, Op::state_var).ref = 99; });
  expect("has 1 arguments", [](Protocol& p) { first(p, Op::add).args.pop_back(); });
  expect("has 1 arguments", [](Protocol& p) { first(p, Op::and_).args.resize(1); });
  expect("has 0 binders", [](Protocol& p) { first(p, Op::forall).binders.clear(); });
  expect("binds no local", [](Protocol& p) { first(p, Op::forall).binders[0] = LocalId(9999); });
  expect("misses argument 0", [](Protocol& p) { first(p, Op::add).args[0] = {}; });
  expect("misses argument 1", [](Protocol& p) { first(p, Op::add).args[1] = ExprId(99999); });
  expect("contains itself", [](Protocol& p) {
    const ExprId sum = find_expr(p, [](const Expr& e) { return e.op == Op::add; });
    p.exprs[sum.index()].args[0] = sum;
  });
  expect("nested more than", [](Protocol& p) {
    Builder make(p);
    ExprId deep = make.boolean(true);
    for (int i = 0; i < 900; ++i) deep = make.negate(deep);
    p.axioms.push_back({deep, {}});
  });
  expect("has no variable", [](Protocol& p) { first(p, StmtKind::assign).var = {}; });
  expect("has no condition", [](Protocol& p) { first(p, StmtKind::if_).value = {}; });
  expect("has no message", [](Protocol& p) { first(p, StmtKind::send).message = MessageId(9); });
  expect("has no target", [](Protocol& p) { first(p, StmtKind::send).target = {}; });
  expect("has no local", [](Protocol& p) { first(p, StmtKind::choose).local = {}; });
  expect("has branches but is no if", [](Protocol& p) { first(p, StmtKind::let).then_branch = {StmtId(0)}; });
  expect("occurs twice", [](Protocol& p) { p.steps[0].body.push_back(p.steps[0].body[0]); });
  expect("names 1 fields of 'Ping'", [](Protocol& p) { p.steps[1].receive->fields.pop_back(); });
  expect("receives no message", [](Protocol& p) { p.steps[1].receive->message = {}; });
  expect("has no expression", [](Protocol& p) { p.steps[0].guard = {}; });
  expect("has no such statement", [](Protocol& p) { p.steps[0].body.push_back(StmtId(999)); });
}

TEST(Verifier, TypesOfEveryOperation) {
  // The result type of any operation but a leaf's cannot just be another.
  for (int op = 0; op < kOpCount; ++op) {
    const Protocol p = kitchen_sink();
    const ExprId node = find_expr(p, [&](const Expr& e) { return e.op == static_cast<Op>(op); });
    if (!node.valid()) continue;
    EXPECT_THAT(breach([&](Protocol& q) {
                  // A type that no expression of the protocol has.
                  q.exprs[node.index()].type = q.types.set(q.types.set(q.types.boolean()));
                }),
                testing::HasSubstr("does not follow the typing rule"))
        << op;
  }
}

TEST(Verifier, TypesOfOperands) {
  const auto operand = [](Op op, std::size_t index) {
    return breach([&](Protocol& p) {
      Builder make(p);
      const TypeId odd = p.types.set(p.types.set(p.types.boolean()));
      const ExprId wrong = make.set_literal(odd, {});
      first(p, op).args[index] = wrong;
    });
  };
  for (const Op op : {Op::add,
                      Op::not_,
                      Op::and_,
                      Op::eq,
                      Op::lt,
                      Op::ge,
                      Op::get,
                      Op::field,
                      Op::with_field,
                      Op::contains,
                      Op::subset,
                      Op::set_union,
                      Op::map_get,
                      Op::map_put,
                      Op::map_remove,
                      Op::map_keys,
                      Op::apply,
                      Op::update,
                      Op::state_var,
                      Op::host_const,
                      Op::global_const,
                      Op::ite,
                      Op::to_int,
                      Op::neg,
                      Op::div,
                      Op::mod,
                      Op::majority,
                      Op::forall,
                      Op::exists,
                      Op::implies,
                      Op::iff,
                      Op::make_struct,
                      Op::sent,
                      Op::map_has,
                      Op::function_build,
                      Op::constant_function}) {
    Protocol p = kitchen_sink();
    if (first(p, op).op != op || first(p, op).args.empty()) continue;
    EXPECT_THAT(operand(op, 0), testing::HasSubstr("does not follow the typing rule")) << static_cast<int>(op);
  }
}

TEST(Verifier, LiteralsAndSpecialRules) {
  expect("typing rule", [](Protocol& p) { first(p, Op::bool_literal).value = 2; });
  expect("typing rule", [](Protocol& p) { first(p, Op::enum_literal).value = 2; });
  expect("typing rule", [](Protocol& p) {
    Builder make(p);
    p.exprs[make.natural(1).index()].value = -1;
  });
  expect("typing rule", [](Protocol& p) { p.structs[1].ordered = false; });
  expect("which is ordered, has no order", [](Protocol& p) { p.sorts[1].ordered = false; });
  expect("is not supported yet", [](Protocol& p) { first(p, Op::not_).op = Op::once; });
  expect("sends 'Ping' with 1 arguments", [](Protocol& p) { first(p, StmtKind::send).args.pop_back(); });
  expect("assigns a wrong type", [](Protocol& p) { first(p, StmtKind::assign).var = VarId(1); });
  expect("binds field 'pair' with a wrong type",
         [](Protocol& p) { p.steps[1].receive->fields[0] = p.steps[1].receive->fields[1]; });
  expect("binds the sender with a wrong type", [](Protocol& p) { p.steps[1].receive->from = RoleId(1); });
  expect("is no boolean",
         [](Protocol& p) { p.axioms[0].formula = find_expr(p, [](const Expr& e) { return e.op == Op::add; }); });
}

TEST(Verifier, Scopes) {
  expect("is read where it is not bound", [](Protocol& p) {
    p.steps[0].guard = Builder(p).binary(Op::eq, Builder(p).local(LocalId(1)), Builder(p).natural(0));
  });
  expect("is bound by two", [](Protocol& p) {
    p.traces.clear();
    p.steps[0].parameters.push_back(p.steps[0].parameters[0]);
  });
  expect("is bound again inside its own scope", [](Protocol& p) {
    const Property& property = p.properties[0];
    const LocalId binder = p[property.formula].binders[0];
    p.properties[0].formula = Builder(p).quantifier(Op::forall, {binder}, property.formula);
  });
  expect("`self` of Node", [](Protocol& p) {
    const ExprId self = Builder(p).self(RoleId(1));
    p.axioms[0].formula = Builder(p).binary(Op::eq, self, self);
  });
  expect("a variable is read where there is no state", [](Protocol& p) { p.axioms[0].formula = p.inits[0].formula; });
  expect("a variable of another host is read", [](Protocol& p) {
    Builder make(p);
    const LocalId other = p.add(LocalDecl{"other", p.types.host(RoleId(0)), {}});
    p.steps[1].guard = make.quantifier(Op::forall, {other}, make.state_var(VarId(0), make.local(other)));
  });
  expect("assigns a variable of another role",
         [](Protocol& p) { p.steps[1].body.push_back(Builder(p).assign(VarId(0), Builder(p).boolean(true))); });
  expect("`old` outside a transition property", [](Protocol& p) { p.properties[1].kind = PropertyKind::safety; });
  expect("`old` inside `old`", [](Protocol& p) {
    Expr& old = first(p, Op::old);
    Expr inner = old;
    old.args[0] = p.add(std::move(inner));
  });
  expect("`sent` of 'Ping', which is not delivered",
         [](Protocol& p) { p.messages[0].delivery = Delivery::at_most_once; });
  expect("`sent` outside a formula over states", [](Protocol& p) {
    Expr sent;
    sent.op = Op::sent;
    sent.ref = 0;
    sent.type = p.types.boolean();
    sent.args = {ExprId{}, ExprId{}};
    p.steps[0].guard = p.add(std::move(sent));
  });
  expect("a constant is read that is not declared before",
         [](Protocol& p) { p.constants[3].value = Builder(p).global_const(ConstId(3)); });
}

TEST(Verifier, Traces) {
  expect("two declarations are named 'begins'", [](Protocol& p) { p.traces[1].name = "begins"; });
  expect("has no expression", [](Protocol& p) { p.traces[0].items[0].formula = {}; });
  expect("asserts something in a step", [](Protocol& p) { p.traces[0].items[2].formula = p.axioms[0].formula; });
  expect("has a step without a call", [](Protocol& p) { p.traces[0].items[1].calls.clear(); });
  expect("has a step without a call", [](Protocol& p) { p.traces[0].items[2].calls = p.traces[0].items[1].calls; });
  expect("calls no step", [](Protocol& p) { p.traces[0].items[1].calls[0].step = StepId(9); });
  expect("calls 'start' with 0 arguments", [](Protocol& p) { p.traces[0].items[1].calls[0].arguments.clear(); });
  expect("calls 'start' with a wrong type",
         [](Protocol& p) { p.traces[0].items[1].calls[0].arguments[0] = Builder(p).boolean(true); });
  expect("asserts what is no boolean", [](Protocol& p) { p.traces[0].items[0].formula = Builder(p).natural(1); });
  expect("`old` outside a transition property",
         [](Protocol& p) { p.traces[0].items[0].formula = p.traces[0].items[3].formula; });
}

TEST(Verifier, ScopesOfChoicesEndWithTheirBlock) {
  const auto result = read(
      "(protocol p (role A) (var x nat (role A) (value (int_literal nat 0)))"
      " (step s (role A) (guard true) (body (if true (then (choose (%0 n nat)))) (assign x %0))))");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "step 's': local 'n' is read where it is not bound");
}

}  // namespace
}  // namespace tenet::ir::test
