#include "tenet/smt/query.h"

#include "expression_text.h"
#include "writer.h"

namespace tenet::smt {
namespace {

std::string comment(std::string_view text) {
  std::string line = "; ";
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return line + '\n';
}

/// As the text of a string literal.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

std::string note_text(Writer& writer, const Note& note) {
  std::string text = "(" + (note.symbol.valid() ? writer.text(note.symbol) : std::string("()")) + " (";
  const char* separator = "";
  for (const Term variable : note.variables) {
    text += separator + ("(" + writer.names().variable(variable) + " ") + writer.names().sort(variable.sort()) + ")";
    separator = " ";
  }
  text += ")";
  for (const Term part : note.parts) text += " " + writer.text(part);
  return "(set-info :note-" + note.about + " " + quoted(text + ")") + ")\n";
}

}  // namespace

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::sat:
      return "sat";
    case Answer::unsat:
      return "unsat";
    case Answer::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string to_smtlib(const Query& query, const DumpOptions& options) {
  std::string out;
  for (const std::string& line : options.comments) out += comment(line);
  if (options.expected && *options.expected != Answer::unknown) {
    out += "(set-info :status " + std::string(name_of(*options.expected)) + ")\n";
  }
  if (options.cores) out += "(set-option :produce-unsat-cores true)\n";
  out += "(set-logic " + options.logic + ")\n";

  Writer writer;
  std::vector<Term> terms;
  for (const Assertion& assertion : query.assertions) terms.push_back(assertion.term);
  terms.insert(terms.end(), query.assumptions.begin(), query.assumptions.end());
  for (const Note& note : query.notes) {
    if (note.symbol.valid()) terms.push_back(note.symbol);
    terms.insert(terms.end(), note.variables.begin(), note.variables.end());
    terms.insert(terms.end(), note.parts.begin(), note.parts.end());
  }
  writer.declare(terms, out);
  for (const Note& note : query.notes) out += note_text(writer, note);

  for (const Assertion& assertion : query.assertions) {
    const std::string text = writer.text(assertion.term);
    if (assertion.name.empty()) {
      out += "(assert " + text + ")\n";
    } else {
      out += "(assert (! " + text + " :named " + writer.names().fresh_label(assertion.name) + "))\n";
    }
  }
  for (const Term assumption : query.assumptions) out += "(assert " + writer.text(assumption) + ")\n";
  out += "(check-sat)\n";
  if (options.cores) out += "(get-unsat-core)\n";
  return out;
}

std::string to_text(Term term) {
  Names names;
  return ExpressionText(names).write(term);
}

}  // namespace tenet::smt
