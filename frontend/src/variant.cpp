// Wrong variants: a short edit of a protocol, lowered to edits of its IR.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"
#include "parse.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/verifier.h"

namespace tenet::frontend {

namespace {

/// Blanks and line breaks of the user's layout become one blank each.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string describe_edits(const SourceFile& file, const ast::Tree& tree) {
  std::string text;
  for (const ast::Edit& edit : tree.edits) {
    if (!text.empty()) text += "; ";
    text += one_line(file.text(edit.span));
  }
  return text;
}

void check_expectation(const ast::Tree& tree, const ir::Protocol& base, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ir::Property& property : base.properties) {
    if (property.name == tree.expected.text) {
      if (property.kind == ir::PropertyKind::reachable) {
        diagnostics.error("unknown-property", tree.expected.span,
                          fmt::format("'{}' is a 'reachable' and cannot be violated", property.name),
                          "name a safety, transition or lemma property");
      }
      return;
    }
    names.push_back(property.name);
  }
  const std::string guess = did_you_mean(tree.expected.text, names);
  diagnostics.error("unknown-property", tree.expected.span,
                    fmt::format("protocol {} has no property '{}'", base.name, tree.expected.text),
                    guess.empty() ? "" : fmt::format("did you mean '{}'?", guess));
}

/// The likeliest of what stands in the place; all of it if there is little.
std::string near_hint(const PlannedChange& planned, const std::string& wanted) {
  std::vector<std::string> near = planned.near;
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (std::string guess = did_you_mean(wanted, near); !guess.empty()) return fmt::format("did you mean '{}'?", guess);
  if (near.empty() || near.size() > 4) return {};
  std::string text = "what stands there: ";
  for (std::size_t i = 0; i < near.size(); ++i) text += fmt::format("{}'{}'", i == 0 ? "" : ", ", one_line(near[i]));
  return text;
}

void report_no_match(const SourceFile& file, const EditPlan& plan, const PlannedChange& planned,
                     Diagnostics& diagnostics) {
  const ast::Change& change = *planned.change;
  const std::string place = place_text(planned.edit->place);
  const auto none = [&](Span span, std::string what, std::string hint = {}) {
    diagnostics.error("edit-matches-nothing", span, fmt::format("{} {}", place, what), std::move(hint));
  };
  switch (change.kind) {
    case ast::ChangeKind::drop_guard:
      return none(change.span, "has no guard to drop");
    case ast::ChangeKind::drop_conjunct:
    case ast::ChangeKind::replace_expr: {
      const Span span = (*plan.tree)[change.from].span;
      const std::string wanted = one_line(file.text(span));
      const bool drops = change.kind == ast::ChangeKind::drop_conjunct;
      return none(span, fmt::format("has no {} '{}'", drops ? "conjunct" : "expression", wanted),
                  near_hint(planned, wanted));
    }
    case ast::ChangeKind::drop_assignment:
      return none(change.name.span, fmt::format("has no assignment to '{}'", change.name.text));
    case ast::ChangeKind::drop_send:
      return none(change.name.span, fmt::format("sends no '{}'", change.name.text));
    case ast::ChangeKind::drop_block:
    case ast::ChangeKind::replace_block:
      return none(change.from_block.span, "has no such statements",
                  near_hint(planned, one_line(file.text(change.from_block.span))));
    case ast::ChangeKind::drop_place:
      return none(change.span, "cannot be dropped", "a step, a receive, an axiom or an init can");
    case ast::ChangeKind::add_block:
      return none(change.span, "has no body to add to");
    case ast::ChangeKind::set_delivery:
      return none(change.span, "is no message: only a message has a delivery");
  }
}

void report_unmatched(const SourceFile& file, const EditPlan& plan, const ir::Protocol& base,
                      Diagnostics& diagnostics) {
  for (const PlannedChange& planned : plan.changes) {
    if (planned.places == 0) {
      const std::string wanted = place_text(planned.edit->place);
      const std::string guess = did_you_mean(wanted, plan.places);
      diagnostics.error("unknown-place", planned.edit->place.span,
                        fmt::format("protocol {} has no '{}'", base.name, wanted),
                        guess.empty() ? "" : fmt::format("did you mean '{}'?", guess));
    } else if (planned.matches == 0) {
      report_no_match(file, plan, planned, diagnostics);
    }
  }
}

}  // namespace

std::string protocol_of_variant(const SourceFile& file) {
  const std::vector<Token> tokens = tokenize(file).tokens;
  const bool head = tokens.size() > 4 && tokens[0].kind == Tok::kw_variant && is_name(tokens[1].kind) &&
                    tokens[2].kind == Tok::kw_of && is_name(tokens[3].kind);
  return head ? std::string(tokens[3].text) : std::string();
}

LoadedVariant load_variant(const SourceFile& file, const SourceFile& base) {
  LoadedVariant loaded;
  const Parsed parsed = parse(file, Grammar::variant, loaded.diagnostics);
  if (loaded.diagnostics.has_errors()) return loaded;
  const ast::Tree& tree = parsed.tree;
  Diagnostics of_base;
  const Parsed parsed_base = parse(base, Grammar::protocol, of_base);
  EditPlan plan;
  plan.file = &file;
  plan.tree = &tree;
  plan.diagnostics = &loaded.diagnostics;
  for (const ast::Edit& edit : tree.edits) {
    for (const ast::Change& change : edit.changes) plan.changes.push_back({&edit, &change, 0, 0, {}});
  }
  ir::Protocol protocol;
  if (!of_base.has_errors()) protocol = Lowering(base, parsed_base.tree, of_base, &plan).run();
  if (of_base.has_errors()) {
    loaded.diagnostics.error(
        "base-has-errors", tree.of.span,
        fmt::format("protocol {} does not load: {}", tree.of.text, of_base.sorted().front().message));
    return loaded;
  }
  if (protocol.name != tree.of.text) {
    loaded.diagnostics.error(
        "unknown-protocol", tree.of.span,
        fmt::format("this is a variant of '{}', but the protocol is '{}'", tree.of.text, protocol.name));
    return loaded;
  }
  if (tree.edits.empty()) {
    loaded.diagnostics.error("edit-matches-nothing", tree.name.span, "a variant without an edit is no variant");
  }
  report_unmatched(file, plan, protocol, loaded.diagnostics);
  check_expectation(tree, protocol, loaded.diagnostics);
  if (loaded.diagnostics.has_errors()) return loaded;
  Variant variant;
  variant.protocol = ir::apply(protocol, plan.edits);
  if (!ir::verify_ir(variant.protocol).empty()) {
    loaded.diagnostics.error("edit-breaks-protocol", tree.edits.front().span,
                             "what these edits remove is needed by what they leave",
                             "remove the statements that use it as well");
    return loaded;
  }
  variant.name = std::string(tree.name.text);
  variant.protocol_name = std::string(tree.of.text);
  variant.doc = tree.doc;
  variant.expected_property = std::string(tree.expected.text);
  variant.expected_span = tree.expected.span;
  variant.edits = std::move(plan.edits);
  variant.description = describe_edits(file, tree);
  loaded.variant = std::move(variant);
  return loaded;
}

}  // namespace tenet::frontend
