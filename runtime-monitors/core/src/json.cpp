#include "json.h"

#include <cstdint>
#include <cstdio>
#include <ctime>

namespace tenet::monitor {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          char escaped[8];
          std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
          out += escaped;
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string utc(std::uint64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::uint64_t seconds_of(const std::string& text) {
  if (!text.empty() && text.size() <= 12 && text.find_first_not_of("0123456789") == std::string::npos) {
    return std::stoull(text);
  }
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%d", &parts);
  if (end != nullptr && *end == 'T') end = strptime(end, "T%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return 0;
  const std::time_t time = timegm(&parts);
  return time < 0 ? 0 : static_cast<std::uint64_t>(time);
}

}  // namespace tenet::monitor
