// Compiles as C++11 without exceptions and RTTI; nothing runs.
#include "tenet/derived/hook.h"

enum class Colour { red, green };

void tell(const std::string& key, const char* text, int* out, Colour colour);
void tell(const std::string& key, const char* text, int* out, Colour colour) {
  tenet::derived::Call call(3, out);
  if (!call.on()) return;
  call.in(0, key, true);
  call.in(1, text);
  call.in(2, out);
  call.out(3, colour);
  call.out(4, tenet::derived::Bytes{text, 2});
  call.outcome(1, tenet::derived::kNoEffect);
}
