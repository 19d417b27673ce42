/// What writers of generated code share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tenet::from_spec {

/// A text that grows line by line.
class GeneratedText {
 protected:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    out_ += fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  std::string out_;
};

}  // namespace tenet::from_spec
