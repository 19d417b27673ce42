#include "sexp.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace tenet::ir {

namespace {

constexpr std::size_t kWidth = 110;
constexpr int kDeepest = 1300;

bool plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '%' || c == '.';
}

std::string word_text(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string result = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

void write_flat(const Sexp& tree, std::string& out) {
  if (!tree.is_list) {
    out += word_text(tree.word);
    return;
  }
  out += '(';
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    if (i > 0) out += ' ';
    write_flat(tree.items[i], out);
  }
  out += ')';
}

/// The words at the start stay on the first line, lists go below it.
void write(const Sexp& tree, std::size_t indent, std::string& out) {
  std::string flat;
  write_flat(tree, flat);
  if (!tree.is_list || indent + flat.size() <= kWidth) {
    out += flat;
    return;
  }
  out += '(';
  bool first_line = true;
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    first_line = first_line && !tree.items[i].is_list;
    if (first_line) {
      if (i > 0) out += ' ';
    } else {
      out += '\n';
      out.append(indent + 2, ' ');
    }
    write(tree.items[i], indent + 2, out);
  }
  out += ')';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Sexp> run() {
    Result<Sexp> tree = item(0);
    if (!tree) return tree;
    skip();
    if (at_ < text_.size()) return error("something follows the end");
    return tree;
  }

 private:
  tl::unexpected<Error> error(std::string_view what) const {
    return failure(ErrorKind::bad_input, fmt::format("line {}: {}", line_, what));
  }
  void skip();
  Result<Sexp> item(int depth);
  Result<Sexp> list(int depth);
  Result<Sexp> quoted();

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

void Reader::skip() {
  for (bool comment = false; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      comment = false;
    } else if (c == ';') {
      comment = true;
    } else if (!comment && std::isspace(static_cast<unsigned char>(c)) == 0) {
      return;
    }
  }
}

Result<Sexp> Reader::quoted() {
  Sexp result;
  result.line = line_;
  for (++at_; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      return result;
    }
    if (c == '\n') ++line_;
    if (c == '\\' && at_ + 1 < text_.size()) {
      c = text_[++at_];
      if (c == 'n') c = '\n';
    }
    result.word += c;
  }
  return error("a quoted word has no end");
}

Result<Sexp> Reader::list(int depth) {
  Sexp result;
  result.is_list = true;
  result.line = line_;
  for (++at_;;) {
    skip();
    if (at_ == text_.size()) return error("a list has no end");
    if (text_[at_] == ')') {
      ++at_;
      return result;
    }
    Result<Sexp> part = item(depth + 1);
    if (!part) return part;
    result.items.push_back(std::move(*part));
  }
}

Result<Sexp> Reader::item(int depth) {
  if (depth > kDeepest) return error("lists are nested too deeply");
  skip();
  if (at_ == text_.size()) return error("the text ends where something is expected");
  if (text_[at_] == '(') return list(depth);
  if (text_[at_] == '"') return quoted();
  const std::size_t begin = at_;
  while (at_ < text_.size() && plain(text_[at_])) ++at_;
  if (at_ == begin) return error(fmt::format("'{}' is not expected here", text_[at_]));
  Sexp result(std::string(text_.substr(begin, at_ - begin)));
  result.line = line_;
  return result;
}

}  // namespace

std::string to_text(const Sexp& tree) {
  std::string out;
  write(tree, 0, out);
  return out + "\n";
}

Result<Sexp> parse_sexp(std::string_view text) { return Reader(text).run(); }

}  // namespace tenet::ir
