"""Checking a run from inside the job, with the engine that checks finished traces (tenet/training/online.h)."""

import ctypes
import os

_LIBRARY = "libtenet_check.so.0"


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    # In a build tree the package is linked beside the rooms; installed, it is in LIBDIR/tenet/python.
    places = [os.path.join(here, *[os.pardir] * 2, "check"), os.path.join(here, *[os.pardir] * 3)]
    for place in places:
        path = os.path.join(place, _LIBRARY)
        if os.path.exists(path):
            library = ctypes.CDLL(path)
            break
    else:
        raise OSError(f"{_LIBRARY} was not found beside the package")
    handle = ctypes.c_void_p
    for name, result, arguments in (
            ("open", handle, [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]),
            ("poll", ctypes.c_int64, [handle]), ("finish", ctypes.c_int64, [handle]), ("close", None, [handle]),
            ("message", ctypes.c_char_p, [handle, ctypes.c_size_t]), ("step", ctypes.c_int64, [handle, ctypes.c_size_t])):
        function = getattr(library, "tenet_check_" + name)
        function.restype, function.argtypes = result, arguments
    return library


class Watch:
    """Follows the trace in `folder`; `on_violation(message, step)` is called once for every invariant that fails."""

    def __init__(self, invariants, folder, on_violation):
        self._library = _load()
        self._on_violation = on_violation
        self._told = 0
        error = ctypes.c_char_p()
        self._handle = self._library.tenet_check_open(os.fsencode(invariants), os.fsencode(folder), ctypes.byref(error))
        if not self._handle:
            raise ValueError((error.value or b"").decode())

    def poll(self):
        """Judges what has been recorded since the last call."""
        if self._handle:
            self._tell(self._library.tenet_check_poll(self._handle))

    def finish(self):
        """Judges what can be judged only at the end."""
        if self._handle:
            handle, self._handle = self._handle, None
            try:
                self._tell(self._library.tenet_check_finish(handle), handle)
            finally:
                self._library.tenet_check_close(handle)

    def _tell(self, count, handle=None):
        handle = handle or self._handle
        while self._told < count:
            number = self._told
            self._told += 1
            message = self._library.tenet_check_message(handle, number).decode(errors="replace")
            self._on_violation(message, self._library.tenet_check_step(handle, number))
