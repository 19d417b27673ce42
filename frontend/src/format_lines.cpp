#include "format_lines.h"

#include <algorithm>
#include <set>

namespace tenet::frontend {

namespace {

using ast::Tree;

class Planner {
 public:
  explicit Planner(const Parsed& parsed) : tree_(parsed.tree), tokens_(parsed.tokens.tokens) {}

  Lines run() {
    const std::size_t size = tokens_.size();
    out_.starts.resize(size);
    for (auto* list : {&out_.facts.callee, &out_.facts.type_bracket, &out_.facts.set_brace, &out_.facts.sum,
                       &out_.facts.wide, &out_.facts.dropped}) {
      list->resize(size);
    }
    note_types();
    note_expressions();
    note_names();
    out_.spaces = spacing(tokens_, out_.facts);
    add_up_widths();
    start(0, 0);
    if (tree_.is_variant) {
      variant();
    } else {
      for (std::size_t i = 0; i < tree_.decls.size(); ++i) declaration(tree_.decls[i], i);
    }
    start(size - 1, 0);
    wrap_all();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t token_at(std::uint32_t offset) const {
    const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                                        [](const Token& t, std::uint32_t at) { return t.span.begin < at; });
    return static_cast<std::size_t>(found - tokens_.begin());
  }
  [[nodiscard]] std::size_t last_token(Span span) const { return token_at(span.end) - 1; }
  [[nodiscard]] std::size_t find(std::size_t from, Tok kind) const {
    while (tokens_[from].kind != kind && tokens_[from].kind != Tok::end) ++from;
    return from;
  }

  // Facts about single tokens.

  void note_types() {
    for (const ast::Type& type : tree_.types) {
      if (type.args.empty() || type.kind == ast::TypeKind::function) continue;
      std::size_t first = token_at(type.span.begin);
      while (tokens_[first].kind == Tok::lparen) ++first;
      std::size_t last = last_token(type.span);
      while (tokens_[last].kind == Tok::rparen) --last;
      if (tokens_[first + 1].kind == Tok::lt) out_.facts.type_bracket[first + 1] = true;
      if (tokens_[last].kind == Tok::gt) out_.facts.type_bracket[last] = true;
    }
  }

  void note_expressions() {
    for (const ast::Expr& e : tree_.exprs) {
      switch (e.kind) {
        case ast::ExprKind::call:
        case ast::ExprKind::sent:
          out_.facts.callee[token_at(e.name.span.begin)] = true;
          break;
        case ast::ExprKind::keys:
        case ast::ExprKind::once:
        case ast::ExprKind::weighted_sum:
          out_.facts.callee[first_token(e)] = true;
          break;
        case ast::ExprKind::sum:
          out_.facts.sum[first_token(e)] = true;
          break;
        case ast::ExprKind::set_literal:
        case ast::ExprKind::set_build:
          note_set(e.span);
          break;
        default:
          break;
      }
    }
  }

  /// The first that is no bracket around the expression.
  [[nodiscard]] std::size_t first_token(const ast::Expr& e) const {
    std::size_t first = token_at(e.span.begin);
    while (tokens_[first].kind == Tok::lparen) ++first;
    return first;
  }

  void note_set(Span span) {
    std::size_t first = token_at(span.begin);
    while (tokens_[first].kind == Tok::lparen) ++first;
    if (tokens_[first].kind != Tok::lbrace) return;
    out_.facts.set_brace[first] = true;
    int depth = 0;
    for (std::size_t i = first; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Tok::lbrace) ++depth;
      if (tokens_[i].kind == Tok::rbrace && --depth == 0) {
        out_.facts.set_brace[i] = true;
        return;
      }
    }
  }

  void callee(const ast::Ident& name) { out_.facts.callee[token_at(name.span.begin)] = true; }

  void note_names() {
    for (const ast::Stmt& stmt : tree_.stmts) {
      if (stmt.kind == ast::StmtKind::send) callee(stmt.name);
      // The separator behind a statement.
      const std::size_t behind = token_at(stmt.span.end);
      if (tokens_[behind].kind == Tok::semicolon) out_.facts.dropped[behind] = true;
    }
    for (const ast::Decl& decl : tree_.decls) {
      if (const auto* import = std::get_if<ast::ImportDecl>(&decl)) callee(import->library);
      if (const auto* message = std::get_if<ast::MessageDecl>(&decl)) callee(message->name);
      if (const auto* relation = std::get_if<ast::RelationDecl>(&decl)) callee(relation->name);
      if (const auto* role = std::get_if<ast::RoleDecl>(&decl)) {
        for (const ast::RoleItem& item : role->items) {
          if (const auto* step = std::get_if<ast::StepDecl>(&item)) callee(step->name);
        }
      }
      if (const auto* instance = std::get_if<ast::InstanceDecl>(&decl)) note_entries(*instance);
    }
    for (const ast::Edit& edit : tree_.edits) {
      for (const ast::Change& change : edit.changes) {
        const std::size_t last = last_token(change.span);
        if (tokens_[last].kind == Tok::semicolon) out_.facts.dropped[last] = true;
      }
    }
  }

  void note_entries(const ast::InstanceDecl& decl) {
    for (std::size_t i = 0; i < decl.entries.size(); ++i) {
      const std::size_t first = token_at(decl.entries[i].name.span.begin);
      if (i > 0) out_.facts.wide[first] = true;
      const ast::Number& last = decl.entries[i].is_range ? decl.entries[i].high : decl.entries[i].low;
      const std::size_t behind = last_token(last.digits.span) + 1;
      if (tokens_[behind].kind == Tok::comma || tokens_[behind].kind == Tok::semicolon)
        out_.facts.dropped[behind] = true;
    }
  }

  // Lines.

  void start(std::size_t token, std::size_t indent, bool blank = false) {
    LineStart& line = out_.starts[token];
    line.starts = true;
    line.blank_before = blank;
    line.indent = static_cast<std::uint16_t>(std::min<std::size_t>(indent, 400));
  }

  /// Whether the user has broken the line anywhere in (first, last].
  [[nodiscard]] bool broken(std::size_t first, std::size_t last) const {
    for (std::size_t i = first + 1; i <= last; ++i) {
      if (tokens_[i].first_on_line) return true;
    }
    return false;
  }

  void add_up_widths() {
    ends_.reserve(tokens_.size() + 1);
    ends_.push_back(0);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const bool printed = !out_.facts.dropped[i];
      ends_.push_back(ends_.back() + (printed ? tokens_[i].text.size() + out_.spaces.blanks[i] : 0));
    }
  }
  [[nodiscard]] std::size_t width(std::size_t first, std::size_t last) const {
    if (first > last) return 0;
    const std::size_t leading = out_.facts.dropped[first] ? 0 : out_.spaces.blanks[first];
    return ends_[last + 1] - ends_[first] - leading;
  }

  [[nodiscard]] bool fits(std::size_t first, std::size_t last, std::size_t indent) const {
    return indent + width(first, last) <= kLineWidth;
  }

  void declaration(const ast::Decl& decl, std::size_t index) {
    const Span span = std::visit([](const ast::Position& d) { return d.span; }, decl);
    const std::size_t first = token_at(span.begin);
    const bool role = std::holds_alternative<ast::RoleDecl>(decl);
    const bool after_role = index > 0 && std::holds_alternative<ast::RoleDecl>(tree_.decls[index - 1]);
    start(first, 0, index == 0 || role || after_role);
    if (const auto* r = std::get_if<ast::RoleDecl>(&decl)) return role_items(*r);
    const bool list = std::holds_alternative<ast::EnumDecl>(decl) || std::holds_alternative<ast::StructDecl>(decl) ||
                      std::holds_alternative<ast::InstanceDecl>(decl);
    if (list) braced_list(first, last_token(span));
  }

  /// `{ a, b }` on one line, or one element a line.
  void braced_list(std::size_t first, std::size_t last) {
    const std::size_t open = find(first, Tok::lbrace);
    if (!broken(open, last) && fits(first, last, 0)) return;
    if (open + 1 == last) return;
    start(open + 1, 2);
    for (std::size_t i = open + 1; i < last; ++i) {
      if (tokens_[i].kind == Tok::comma && i + 1 < last && out_.spaces.depth[i] == out_.spaces.depth[open] + 1) {
        if (!out_.facts.dropped[i]) start(i + 1, 2);
      }
      if (out_.facts.wide[i]) start(i, 2);
    }
    start(last, 0);
  }

  void role_items(const ast::RoleDecl& decl) {
    for (std::size_t i = 0; i < decl.items.size(); ++i) {
      const Span span = std::visit([](const ast::Position& d) { return d.span; }, decl.items[i]);
      const auto* step = std::get_if<ast::StepDecl>(&decl.items[i]);
      const bool after_step = i > 0 && std::holds_alternative<ast::StepDecl>(decl.items[i - 1]);
      start(token_at(span.begin), 2, i > 0 && (step != nullptr || after_step));
      if (step != nullptr) with_block(token_at(span.begin), step->body, 2);
    }
    if (!decl.items.empty()) start(last_token(decl.span), 0);
  }

  /// A line from `first` that ends with a block.
  void with_block(std::size_t first, const ast::Block& block, std::size_t indent) {
    const std::size_t open = token_at(block.span.begin);
    const std::size_t close = last_token(block.span);
    if (block.stmts.empty() && !broken(open, close)) return;
    const bool flat = block.stmts.size() == 1 && !broken(open, close) && fits(first, close, indent);
    if (!flat) open_block(block, indent);
  }

  void open_block(const ast::Block& block, std::size_t indent) {
    const std::size_t open = token_at(block.span.begin);
    const std::size_t close = last_token(block.span);
    if (open + 1 == close) return;
    for (const ast::StmtRef ref : block.stmts) statement(tree_[ref], indent + 2);
    start(close, indent);
  }

  void statement(const ast::Stmt& stmt, std::size_t indent) {
    const std::size_t first = token_at(stmt.span.begin);
    start(first, indent);
    if (stmt.kind != ast::StmtKind::if_) return;
    const std::size_t body = token_at(stmt.then_block.span.begin);
    const std::size_t last = last_token(stmt.span);
    if (!broken(body, last) && fits(first, last, indent) && single(stmt)) return;
    open_branches(stmt, indent);
  }

  [[nodiscard]] bool single(const ast::Stmt& stmt) const {
    const auto one = [this](const ast::Block& block) {
      if (block.stmts.size() > 1) return false;
      if (block.stmts.empty()) return true;
      const ast::Stmt& inner = tree_[block.stmts.front()];
      return inner.kind != ast::StmtKind::if_ || single(inner);
    };
    return one(stmt.then_block) && one(stmt.else_block);
  }

  void open_branches(const ast::Stmt& stmt, std::size_t indent) {
    open_block(stmt.then_block, indent);
    if (!stmt.has_else) return;
    const bool else_if = tokens_[token_at(stmt.else_block.span.begin)].kind == Tok::kw_if;
    if (else_if) {
      open_branches(tree_[stmt.else_block.stmts.front()], indent);
    } else {
      open_block(stmt.else_block, indent);
    }
  }

  void variant() {
    for (const ast::Edit& edit : tree_.edits) {
      const std::size_t first = token_at(edit.span.begin);
      start(first, 2);
      for (const ast::Change& change : edit.changes) {
        const std::size_t at = token_at(change.span.begin);
        if (edit.changes.size() > 1) start(at, 4);
        const std::size_t indent = edit.changes.size() > 1 ? 4 : 2;
        const std::size_t line = edit.changes.size() > 1 ? at : first;
        const bool from = change.from_block.span.end > 0;
        const bool to = change.to_block.span.end > 0;
        const std::size_t last = last_token(change.span);
        const bool multi = broken(at, last) || !fits(line, last, indent) || change.from_block.stmts.size() > 1 ||
                           change.to_block.stmts.size() > 1;
        if (!multi) continue;
        if (from) open_block(change.from_block, indent);
        if (to) open_block(change.to_block, indent);
      }
    }
    start(find(tree_.edits.empty() ? 4 : last_token(tree_.edits.back().span), Tok::kw_expect), 2);
  }

  // Long lines, and the breaks that the user has made.

  /// How good a place to go on in a new line the token is: lower is better.
  [[nodiscard]] int rank(std::size_t i) const {
    const Tok kind = tokens_[i].kind;
    const Tok before = tokens_[i - 1].kind;
    if (before == Tok::colon && property_colon(i - 1)) return 0;
    if (kind == Tok::kw_when) return 1;
    if (before == Tok::colons) return 1;
    if (kind == Tok::fat_arrow || kind == Tok::iff) return 2;
    if (kind == Tok::question || (kind == Tok::colon && out_.spaces.choice_colon[i])) return 2;
    if (kind == Tok::kw_or) return 3;
    if (kind == Tok::kw_and) return 4;
    if (before == Tok::comma) return 5;
    if (kind == Tok::kw_union || kind == Tok::backslash || kind == Tok::kw_intersect) return 6;
    if (kind == Tok::kw_by && tree_.is_variant) return 6;
    return -1;
  }

  /// `safety name:`, `axiom:`, `init:` …
  [[nodiscard]] bool property_colon(std::size_t colon) const {
    // The word is the first of its line, with a name behind it at most.
    for (std::size_t at = colon; at > 0 && colon - at < 2 && !out_.starts[at].starts;) {
      if (!out_.starts[--at].starts) continue;
      const Tok kind = tokens_[at].kind;
      return kind == Tok::kw_safety || kind == Tok::kw_transition || kind == Tok::kw_reachable ||
             kind == Tok::kw_lemma || kind == Tok::kw_axiom || kind == Tok::kw_init;
    }
    return false;
  }

  void wrap_all() {
    std::size_t first = 0;
    while (first + 1 < tokens_.size()) {
      std::size_t last = first;
      while (last + 2 < tokens_.size() && !out_.starts[last + 1].starts) ++last;
      wrap_line(first, last);
      first = last + 1;
    }
  }

  /// The breaks that the user has made, and then more, until every part fits or has no place left to break. Where each
  /// part stands follows from the breaks alone, so that the same breaks, written in the text, give the same layout.
  void wrap_line(std::size_t first, std::size_t last) {
    std::set<std::size_t> breaks;
    for (std::size_t i = first + 1; i <= last; ++i) {
      if (tokens_[i].first_on_line && rank(i) >= 0) breaks.insert(i);
    }
    std::size_t before = 0;
    do {
      before = breaks.size();
      std::vector<std::size_t> ends(breaks.begin(), breaks.end());
      ends.push_back(last + 1);
      Walk walk{first, out_.starts[first].indent, first, false, {}};
      for (const std::size_t end : ends) {
        split(walk, end - 1, breaks);
        if (end <= last) go_on(walk, end);
      }
    } while (breaks.size() > before);
  }

  /// Goes along a line from left to right.
  struct Walk {
    std::size_t first = 0;
    std::size_t indent = 0;
    std::size_t at = 0;
    bool broken = false;
    std::vector<std::size_t> bodies;  ///< by depth: bodies of quantifiers that began on lines of their own and go on
  };

  /// Lets the line go on with `token` on a new one, indented by the brackets
  /// around it and by the quantifiers whose bodies have begun on lines of
  /// their own.
  void go_on(Walk& walk, std::size_t token) {
    const auto& depth = out_.spaces.depth;
    while (walk.at < token) {
      ++walk.at;
      while (!walk.bodies.empty() && depth[walk.at] < walk.bodies.back()) walk.bodies.pop_back();
    }
    if (tokens_[token - 1].kind == Tok::colons) walk.bodies.push_back(depth[token]);
    const std::size_t inside = depth[token] - std::min(depth[walk.first], depth[token]);
    const std::size_t around = (walk.broken ? 1 : 0) + walk.bodies.size();
    start(token, walk.indent + 2 * (std::max<std::size_t>(1, around) + inside));
    out_.starts[token].continuation = true;
    walk.broken = true;
  }

  /// Breaks what goes from where the walk is to `last` if it is too long: at the best kind of place that it has, each
  /// time as late as the line allows. What is still too long then has its turn in the next round.
  void split(Walk& walk, std::size_t last, std::set<std::size_t>& breaks) {
    const auto fit = [&](std::size_t end) { return fits(walk.at, end, out_.starts[walk.at].indent); };
    if (fit(last)) return;
    const std::vector<std::size_t> places = best_places(walk.at + 1, last);
    for (auto next = places.begin(); next != places.end() && !fit(last);) {
      // At least one, even if what stands before it is too long already.
      auto place = next++;
      while (next != places.end() && fit(*next - 1)) place = next++;
      go_on(walk, *place);
      breaks.insert(*place);
    }
  }

  /// The places in [first, last] of the lowest depth and rank there.
  [[nodiscard]] std::vector<std::size_t> best_places(std::size_t first, std::size_t last) const {
    std::vector<std::size_t> places;
    std::pair<int, int> best{};
    for (std::size_t i = first; i <= last; ++i) {
      const int r = rank(i);
      if (r < 0) continue;
      const std::pair<int, int> key{out_.spaces.depth[i], r};
      if (places.empty() || key < best) {
        places.clear();
        best = key;
      }
      if (key == best) places.push_back(i);
    }
    return places;
  }

  const Tree& tree_;
  const std::vector<Token>& tokens_;
  Lines out_;
  std::vector<std::size_t> ends_;  ///< by token: the width of everything before it
};

}  // namespace

Lines lines(const Parsed& parsed) { return Planner(parsed).run(); }

}  // namespace tenet::frontend
