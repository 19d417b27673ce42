/// What the recorder of tests calls: tests that begin and end, assertions with the values they compared.
#pragma once

#include <cstddef>

#include "tenet/monitor/abi.h"

extern "C" {
TENET_MONITOR_API int tenet_derived_v1_recording() noexcept;
/// 1 for the first caller of the process: who registers the listener.
TENET_MONITOR_API int tenet_derived_v1_first_listener() noexcept;
/// `phase` 0: it begins; 1: it ended.
TENET_MONITOR_API void tenet_derived_v1_test(const char* suite, const char* name, int phase, int passed) noexcept;
TENET_MONITOR_API void tenet_derived_v1_assertion(const char* path, int line, const char* macro, int passed,
                                                  const char* const* values, const std::size_t* sizes,
                                                  int count) noexcept;
}
