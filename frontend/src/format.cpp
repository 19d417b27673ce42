// The canonical layout: the same tokens, on lines that the tree decides, with
// the comments where they were.
#include <algorithm>

#include "format_lines.h"
#include "parse.h"
#include "tenet/frontend/frontend.h"

namespace tenet::frontend {

namespace {

class Printer {
 public:
  Printer(const SourceFile& file, const Parsed& parsed, const Lines& plan)
      : file_(file), tokens_(parsed.tokens.tokens), comments_(parsed.tokens.comments), plan_(plan) {}

  std::string run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      comments_before(i);
      if (plan_.facts.dropped[i] || tokens_[i].kind == Tok::end) continue;
      token(i);
    }
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    return std::move(out_);
  }

 private:
  /// The column at which comments before token `i` stand.
  [[nodiscard]] std::size_t comment_indent(std::size_t i) const {
    const LineStart& line = plan_.starts[i];
    if (!line.starts) return current_indent_ + 2;
    return tokens_[i].kind == Tok::rbrace ? line.indent + 2u : line.indent;
  }

  void comments_before(std::size_t i) {
    bool first = true;
    while (next_comment_ < comments_.size() && comments_[next_comment_].span.begin < tokens_[i].span.begin) {
      const Comment& comment = comments_[next_comment_++];
      if (comment.first_on_line || out_.empty()) {
        new_line(comment_indent(i), blank_between(comment.span.begin) || (first && plan_.starts[i].blank_before));
      } else {
        out_ += comment.line ? "  " : " ";
      }
      out_ += file_.text(comment.span);
      // A line comment, or one on its own line, ends the line.
      pending_break_ = comment.line || comment.first_on_line;
      after_open_ = false;
      previous_end_ = comment.span.end;
      first = false;
    }
    commented_ = !first;
  }

  void token(std::size_t i) {
    const LineStart& line = plan_.starts[i];
    const Token& token = tokens_[i];
    if (line.starts) {
      const bool blank = !line.continuation && token.kind != Tok::rbrace &&
                         (blank_between(token.span.begin) || (line.blank_before && !commented_));
      new_line(line.indent, blank);
      if (!line.continuation) current_indent_ = line.indent;
    } else if (pending_break_) {
      new_line(current_indent_ + 2, false);
    } else {
      out_.append(out_.empty() ? 0 : std::max<std::size_t>(plan_.spaces.blanks[i], commented_ ? 1 : 0), ' ');
    }
    out_ += token.text;
    pending_break_ = false;
    after_open_ = token.kind == Tok::lbrace;
    previous_end_ = token.span.end;
  }

  void new_line(std::size_t indent, bool blank) {
    if (out_.empty()) return;
    out_ += '\n';
    if (blank && !after_open_) out_ += '\n';
    out_.append(indent, ' ');
    pending_break_ = false;
  }

  /// Whether the user has left an empty line before this offset.
  [[nodiscard]] bool blank_between(std::uint32_t offset) const {
    const std::string_view gap = file_.text({previous_end_, offset});
    return std::count(gap.begin(), gap.end(), '\n') > 1;
  }

  const SourceFile& file_;
  const std::vector<Token>& tokens_;
  const std::vector<Comment>& comments_;
  const Lines& plan_;
  std::string out_;
  std::size_t next_comment_ = 0;
  std::size_t current_indent_ = 0;
  std::uint32_t previous_end_ = 0;
  bool pending_break_ = false;
  bool after_open_ = false;
  bool commented_ = false;
};

}  // namespace

Formatted format(const SourceFile& file) {
  Formatted result;
  if (language_of(file) == Language::mypyvy) {
    result.diagnostics.error("not-supported-yet", {0, static_cast<std::uint32_t>(file.text().find_first_of("\n "))},
                             "files in mypyvy's language are not laid out", "only '.tenet' files are");
    return result;
  }
  const Grammar grammar = kind_of(file) == FileKind::variant ? Grammar::variant : Grammar::protocol;
  const Parsed parsed = parse(file, grammar, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;
  result.text = Printer(file, parsed, lines(parsed)).run();
  return result;
}

}  // namespace tenet::frontend
