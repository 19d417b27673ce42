#include "lemmas.h"

#include "proposer.h"

namespace tenet::provenance {

std::vector<Proposal> propose_agreement(ir::Protocol& protocol) {
  Proposer proposer(protocol);
  Builder& b = proposer.b_;
  std::vector<Proposal> result;
  const auto atoms = [&] {
    std::vector<Atom> all = proposer.thresholds();
    for (std::size_t m = 0; m < protocol.messages.size(); ++m) {
      const ir::MessageId message(m);
      for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
        const ir::Step& step = protocol.steps[s];
        if (!step.receive || step.receive->message != message) continue;
        const RoleId to = step.role;
        for (RoleId from : proposer.senders(message)) all.push_back(proposer.sent(message, from, to));
        break;
      }
    }
    return all;
  };
  const std::set<TypeId> keys = proposer.key_sorts();
  const std::vector<Atom> first = atoms();
  const std::vector<Atom> second = atoms();
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < second.size(); ++j) {
      const std::vector<Part> xs = proposer.parts_of(first[i]);
      const std::vector<Part> ys = proposer.parts_of(second[j]);
      const ExprId together = b.conjunction({first[i].formula, second[j].formula});
      for (const Part& x : xs) {
        for (const Part& y : ys) {
          if (!x.number || x.type != y.type) continue;
          for (const Op order : {Op::eq, Op::lt}) {
            if (order == Op::eq && j < i) continue;
            std::vector<ExprId> measures;
            if (first[i].message || protocol[x.type].kind == TypeKind::natural) measures.push_back(x.expr);
            if (second[j].message || protocol[y.type].kind == TypeKind::natural) measures.push_back(y.expr);
            for (const Part& v : xs) {
              for (const Part& w : ys) {
                if (v.type != w.type || v.number || w.number) continue;
                const ExprId ordered = b.conjunction({together, b.binary(order, x.expr, y.expr)});
                const ExprId agree = b.binary(Op::eq, v.expr, w.expr);
                const auto add = [&](ExprId premise) {
                  result.push_back(proposer.close(Proposer::joined(first[i], second[j]),
                                                  b.binary(Op::implies, premise, agree), measures));
                };
                add(ordered);
                // Of one key only.
                for (const Part& k : xs) {
                  for (const Part& l : ys) {
                    if (k.type != l.type || k.expr == v.expr || l.expr == w.expr || !keys.contains(k.type)) continue;
                    add(b.conjunction({ordered, b.binary(Op::eq, k.expr, l.expr)}));
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return result;
}

}  // namespace tenet::provenance
