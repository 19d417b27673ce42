#include "writer.h"

#include "expression_text.h"
#include "tenet/smt/term_ops.h"

namespace tenet::smt {

void Writer::pop() {
  const std::size_t keep = levels_.back();
  levels_.pop_back();
  for (std::size_t i = keep; i < declared_.size(); ++i) {
    if (declared_[i].sort.valid()) sorts_.erase(declared_[i].sort);
    if (declared_[i].function.valid()) functions_.erase(declared_[i].function);
    labels_.erase(declared_[i].label);
  }
  declared_.resize(keep);
}

void Writer::declare_sort(Sort sort, std::string& out) {
  if (sort.kind() == SortKind::uninterpreted) {
    out += "(declare-sort " + names_.sort(sort) + " 0)\n";
  } else if (sort.kind() == SortKind::enumeration) {
    out += "(declare-datatypes ((" + names_.sort(sort) + " 0)) ((";
    for (std::size_t i = 0; i < sort.members().size(); ++i) {
      out += (i == 0 ? "(" : " (") + names_.enumerator(sort, i) + ")";
    }
    out += ")))\n";
  }
}

void Writer::declare_function(Function function, std::string& out) {
  out += "(declare-fun " + names_.function(function) + " (";
  const char* separator = "";
  for (const Sort sort : function.domain()) {
    out += separator + names_.sort(sort);
    separator = " ";
  }
  out += ") " + names_.sort(function.range()) + ")\n";
}

void Writer::declare(std::span<const Term> terms, std::string& out) {
  for (const Sort sort : sorts_of(terms)) {
    if (!sorts_.insert(sort).second) continue;
    declared_.push_back({sort, {}, {}});
    declare_sort(sort, out);
  }
  for (const Function function : functions_of(terms)) {
    if (!functions_.insert(function).second) continue;
    declared_.push_back({{}, function, {}});
    declare_function(function, out);
  }
}

bool Writer::declare_label(const std::string& label) {
  if (!labels_.insert(label).second) return false;
  declared_.push_back({{}, {}, label});
  return true;
}

std::string Writer::text(Term term) { return ExpressionText(names_).write(term); }

}  // namespace tenet::smt
