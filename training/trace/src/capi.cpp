// The C interface: locks, exceptions turned into results, time and thread of the caller.
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>

#include "tenet/training/trace.h"
#include "writer.h"

using tenet::training::Writer;

struct tenet_trace {
  Writer writer;
};

namespace {

std::uint16_t this_thread() noexcept {
  static std::atomic<std::uint16_t> next{0};
  thread_local const std::uint16_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

// Runs `body` under the lock, in the right file of the right process; `failure` when there is no handle or no file.
template <typename Result, typename Body>
Result locked(tenet_trace* trace, Result failure, Body body) noexcept {
  if (trace == nullptr) return failure;
  try {
    const std::scoped_lock lock(trace->writer.mutex);
    trace->writer.follow_fork();
    return body(trace->writer);
  } catch (...) {
    return failure;
  }
}

int put(tenet_trace* trace, std::uint8_t kind, std::uint32_t name, std::uint32_t layout, std::uint64_t reference,
        const void* values, size_t bytes) noexcept {
  const tenet_trace_row row{
      kind, TENET_TRACE_PROCESS, this_thread(), name, layout, tenet::training::monotonic_now(), reference};
  return tenet_trace_put(trace, &row, values, bytes);
}

int put_one(tenet_trace* trace, std::uint8_t kind, int scope, std::uint32_t name, std::uint8_t type,
            std::uint64_t value) noexcept {
  return locked(trace, int{TENET_TRACE_EINVAL}, [&](Writer& writer) {
    const std::uint32_t no_name = 0;
    const std::uint32_t layout = writer.layout({&no_name, 1}, &type);
    const tenet_trace_row row{kind,
                              static_cast<std::uint8_t>(scope != TENET_TRACE_PROCESS),
                              this_thread(),
                              name,
                              layout,
                              tenet::training::monotonic_now(),
                              0};
    return writer.put(row, &value, sizeof value);
  });
}

}  // namespace

tenet_trace* tenet_trace_open(const char* prefix, const tenet_trace_options* options) {
  if (prefix == nullptr) {
    errno = EINVAL;
    return nullptr;
  }
  try {
    const bool given = options != nullptr && options->struct_size >= sizeof(tenet_trace_options);
    std::unique_ptr<tenet_trace> trace(
        new tenet_trace{{prefix, given ? options->tail_bytes : 0, given ? options->compression : 0}});
    if (!trace->writer.open()) return nullptr;
    tenet::training::register_for_fork(trace->writer);
    return trace.release();
  } catch (...) {
    errno = ENOMEM;
    return nullptr;
  }
}

int tenet_trace_close(tenet_trace* trace) {
  if (trace == nullptr) return TENET_TRACE_OK;
  int result = TENET_TRACE_OK;
  try {
    tenet::training::unregister_for_fork(trace->writer);
    const std::scoped_lock lock(trace->writer.mutex);
    trace->writer.follow_fork();
    if (trace->writer.failed() || !trace->writer.finish()) result = TENET_TRACE_EIO;
  } catch (...) {
    result = TENET_TRACE_ENOMEM;
  }
  delete trace;
  return result;
}

const char* tenet_trace_path(const tenet_trace* trace) { return trace == nullptr ? "" : trace->writer.path(); }

uint32_t tenet_trace_string(tenet_trace* trace, const char* bytes, size_t length) {
  if (bytes == nullptr) return 0;
  return locked(trace, uint32_t{0}, [&](Writer& writer) { return writer.intern({bytes, length}); });
}

uint32_t tenet_trace_layout(tenet_trace* trace, const uint32_t* keys, const uint8_t* types, size_t count) {
  if (keys == nullptr || types == nullptr) return 0;
  return locked(trace, uint32_t{0}, [&](Writer& writer) { return writer.layout({keys, count}, types); });
}

int tenet_trace_put(tenet_trace* trace, const tenet_trace_row* row, const void* values, size_t bytes) {
  if (row == nullptr || (values == nullptr && bytes != 0)) return TENET_TRACE_EINVAL;
  return locked(trace, int{TENET_TRACE_ENOMEM}, [&](Writer& writer) { return writer.put(*row, values, bytes); });
}

uint64_t tenet_trace_enter(tenet_trace* trace, uint32_t function, uint32_t layout, const void* values, size_t bytes) {
  const uint64_t call = locked(trace, uint64_t{0}, [](Writer& writer) { return writer.next_call(); });
  if (call == 0) return 0;
  return put(trace, TENET_TRACE_KIND_ENTER, function, layout, call, values, bytes) == TENET_TRACE_OK ? call : 0;
}

int tenet_trace_exit(tenet_trace* trace, uint64_t call, uint32_t layout, const void* values, size_t bytes) {
  return call == 0 ? int{TENET_TRACE_EINVAL} : put(trace, TENET_TRACE_KIND_EXIT, 0, layout, call, values, bytes);
}

int tenet_trace_fail(tenet_trace* trace, uint64_t call, uint32_t exception, uint32_t layout, const void* values,
                     size_t bytes) {
  return call == 0 ? int{TENET_TRACE_EINVAL}
                   : put(trace, TENET_TRACE_KIND_FAIL, exception, layout, call, values, bytes);
}

int tenet_trace_state(tenet_trace* trace, uint32_t name, uint32_t type, uint32_t layout, const void* values,
                      size_t bytes) {
  return put(trace, TENET_TRACE_KIND_STATE, name, layout, type, values, bytes);
}

int tenet_trace_context(tenet_trace* trace, int scope, uint32_t key, uint8_t type, uint64_t value) {
  return put_one(trace, TENET_TRACE_KIND_CONTEXT, scope, key, type, value);
}

int tenet_trace_scalar(tenet_trace* trace, uint32_t name, uint8_t type, uint64_t value) {
  return put_one(trace, TENET_TRACE_KIND_SCALAR, TENET_TRACE_PROCESS, name, type, value);
}

int tenet_trace_note(tenet_trace* trace, uint32_t text, uint32_t layout, const void* values, size_t bytes) {
  return put(trace, TENET_TRACE_KIND_NOTE, text, layout, 0, values, bytes);
}

void tenet_trace_count_dropped(tenet_trace* trace, uint64_t count) {
  (void)locked(trace, 0, [&](Writer& writer) {
    writer.count_dropped(count);
    return 0;
  });
}

int tenet_trace_flush(tenet_trace* trace) {
  return locked(trace, int{TENET_TRACE_EINVAL}, [](Writer& writer) { return writer.seal(false); });
}

int tenet_trace_get_statistics(tenet_trace* trace, tenet_trace_statistics* out) {
  if (out == nullptr || out->struct_size < sizeof(tenet_trace_statistics)) return TENET_TRACE_EINVAL;
  return locked(trace, int{TENET_TRACE_EINVAL}, [&](Writer& writer) {
    writer.fill(*out);
    return int{TENET_TRACE_OK};
  });
}

const char* tenet_trace_message(int result) {
  switch (result) {
    case TENET_TRACE_OK:
      return "success";
    case TENET_TRACE_EIO:
      return "a file could not be created, mapped or written";
    case TENET_TRACE_EINVAL:
      return "an argument is not valid: null handle, unknown id, or length unlike the layout";
    case TENET_TRACE_ETOOBIG:
      return "the record does not fit into the tail";
    case TENET_TRACE_ENOMEM:
      return "out of memory";
    case TENET_TRACE_ECLOSED:
      return "the trace has failed earlier; records are counted as dropped";
    default:
      return "unknown result";
  }
}
