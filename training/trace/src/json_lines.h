// A file of JSON documents, one a line, read in pieces.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string>

#include "input.h"

namespace tenet::training {

class JsonLines {
 public:
  JsonLines(std::string name, std::unique_ptr<Input> input) : name_(std::move(name)), input_(std::move(input)) {}

  // The next object; false at the end. Lines that are not JSON objects are counted and passed over.
  [[nodiscard]] bool next(simdjson::dom::object& out);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t bytes() const { return input_->size(); }
  [[nodiscard]] std::uint64_t bad_lines() const noexcept { return bad_; }
  [[nodiscard]] std::uint64_t first_bad_line() const noexcept { return first_bad_; }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  [[nodiscard]] bool next_line(std::size_t& begin, std::size_t& end);
  [[nodiscard]] bool refill();

  std::string name_;
  std::unique_ptr<Input> input_;
  simdjson::dom::parser parser_;
  std::string buffer_;        // whole lines not read yet and the begin of the next, with padding behind
  std::size_t at_ = 0;        // first byte not read
  std::size_t filled_ = 0;    // bytes of text in the buffer
  std::uint64_t offset_ = 0;  // of the input
  std::uint64_t line_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t first_bad_ = 0;
};

}  // namespace tenet::training
