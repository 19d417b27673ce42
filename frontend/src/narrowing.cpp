#include "narrowing.h"

#include <algorithm>
#include <iterator>

namespace tenet::frontend {

namespace {

using ir::ExprId;
using ir::Op;

std::set<std::string> both(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

void add(std::set<std::string>& to, const std::set<std::string>& from) { to.insert(from.begin(), from.end()); }

std::string variable_mark(std::uint32_t var) { return "v" + std::to_string(var) + "("; }

/// `path == none`, `path == some(…)`: what an equality tells.
Certain of_equality(const ir::Protocol& p, const ir::Expr& e) {
  Certain result;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto key = path_key(p, e.args[i]);
    if (!key) continue;
    const Op other = p[e.args[1 - i]].op;
    if (other == Op::none) result.if_false.insert(*key);
    if (other == Op::some) result.if_true.insert(*key);
  }
  return result;
}

Certain of_chain(const ir::Protocol& p, const ir::Expr& e) {
  const bool conjunction = e.op == Op::and_;
  Certain result = certain_after(p, e.args[0]);
  for (std::size_t i = 1; i < e.args.size(); ++i) {
    const Certain next = certain_after(p, e.args[i]);
    if (conjunction) {
      add(result.if_true, next.if_true);
      result.if_false = both(result.if_false, next.if_false);
    } else {
      result.if_true = both(result.if_true, next.if_true);
      add(result.if_false, next.if_false);
    }
  }
  return result;
}

Certain of_implication(const ir::Protocol& p, const ir::Expr& e) {
  const Certain left = certain_after(p, e.args[0]);
  const Certain right = certain_after(p, e.args[1]);
  Certain result{both(left.if_false, right.if_true), left.if_true};
  add(result.if_false, right.if_false);
  return result;
}

}  // namespace

std::optional<std::string> path_key(const ir::Protocol& protocol, ExprId expr) {
  const ir::Expr& e = protocol[expr];
  std::vector<std::string> parts;
  for (const ExprId arg : e.args) {
    if (!arg.valid()) return std::nullopt;
    auto key = path_key(protocol, arg);
    if (!key) return std::nullopt;
    parts.push_back(std::move(*key));
  }
  switch (e.op) {
    case Op::local:
      return "l" + std::to_string(e.ref);
    case Op::self:
      return "self";
    case Op::single_host:
      return "s" + std::to_string(e.ref);
    case Op::state_var:
      return variable_mark(e.ref) + parts[0] + ")";
    case Op::host_const:
      return "c" + std::to_string(e.ref) + "(" + parts[0] + ")";
    case Op::global_const: {
      std::string key = "g" + std::to_string(e.ref) + "(";
      for (const std::string& part : parts) key += part + ",";
      return key + ")";
    }
    case Op::field:
      return parts[0] + "." + std::to_string(e.ref);
    case Op::get:
      return parts[0] + "!";
    case Op::apply:
    case Op::map_get:
      return parts[0] + "[" + parts[1] + "]";
    case Op::old:
      return "old(" + parts[0] + ")";
    case Op::int_literal:
    case Op::bool_literal:
    case Op::enum_literal:
      return "#" + std::to_string(e.type.value) + ":" + std::to_string(e.value);
    default:
      return std::nullopt;
  }
}

Certain certain_after(const ir::Protocol& protocol, ExprId condition) {
  const ir::Expr& e = protocol[condition];
  switch (e.op) {
    case Op::eq:
      return of_equality(protocol, e);
    case Op::ne: {
      Certain result = of_equality(protocol, e);
      std::swap(result.if_true, result.if_false);
      return result;
    }
    case Op::not_: {
      Certain result = certain_after(protocol, e.args[0]);
      std::swap(result.if_true, result.if_false);
      return result;
    }
    case Op::and_:
    case Op::or_:
      return of_chain(protocol, e);
    case Op::implies:
      return of_implication(protocol, e);
    case Op::old: {
      const Certain inner = certain_after(protocol, e.args[0]);
      Certain result;
      for (const std::string& key : inner.if_true) result.if_true.insert("old(" + key + ")");
      for (const std::string& key : inner.if_false) result.if_false.insert("old(" + key + ")");
      return result;
    }
    default:
      return {};
  }
}

void Narrowing::learn(const std::set<std::string>& keys) {
  for (const std::string& key : keys) {
    if (known_.insert(key).second) learnt_.push_back(key);
  }
}

void Narrowing::forget(ir::VarId var) {
  const std::string mark = variable_mark(var.value);
  std::erase_if(known_, [&](const std::string& key) {
    for (std::size_t at = key.find(mark); at != std::string::npos; at = key.find(mark, at + 1)) {
      // "v1(" inside "v11(" is another variable's.
      if (at == 0 || key[at - 1] < '0' || key[at - 1] > '9') return true;
    }
    return false;
  });
}

void Narrowing::restore(std::size_t mark) {
  for (; learnt_.size() > mark; learnt_.pop_back()) known_.erase(learnt_.back());
}

Narrowing Narrowing::join(const Narrowing& a, const Narrowing& b) {
  Narrowing result;
  result.learn(both(a.known_, b.known_));
  return result;
}

Narrowing Narrowing::before() const {
  Narrowing result;
  for (const std::string& key : known_) {
    if (key.rfind("old(", 0) == 0 && key.back() == ')') result.known_.insert(key.substr(4, key.size() - 5));
  }
  return result;
}

}  // namespace tenet::frontend
