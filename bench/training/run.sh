#!/bin/sh
# Inference and checking on the sample trace and on it repeated: CPU time, wall time and memory of each.
#   bench/training/run.sh TENET_TRAIN [MEGABYTES…]      (default sizes: 20 66)
set -eu
tool=$1
shift
[ $# -gt 0 ] || set -- 20 66
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar xzf "$here/../../tests/training/data/mnist-small.tar.gz" -C "$work"
measure() {
  what=$1
  shift
  python3 - "$what" "$@" <<'PY'
import os, sys, time
start = time.time()
nowhere = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=nowhere)
_, status, used = os.wait4(child, 0)
print(f"{sys.argv[1]:<32} {used.ru_utime + used.ru_stime:8.2f} CPU s {time.time() - start:8.2f} s {used.ru_maxrss / 1024:8.1f} MiB  "
      f"status {os.waitstatus_to_exitcode(status)}", flush=True)
PY
}
one() {
  measure "$1 infer" "$tool" infer "$2" -o "$work/inv.json" -q
  measure "$1 check" "$tool" check "$2" -i "$work/inv.json"
}
one sample "$work/small"
for size in "$@"; do
  for ranks in 1 8; do
    python3 "$here/repeat_trace.py" "$work/small" "$work/big" --megabytes "$size" --ranks "$ranks"
    one "$size MB, $ranks rank(s), JSON" "$work/big"
    mkdir -p "$work/binary"
    measure "$size MB, $ranks rank(s) convert" "$tool" trace convert "$work/big" -o "$work/binary/run"
    du -sh "$work/binary" | cut -f1
    one "$size MB, $ranks rank(s), binary" "$work/binary"
    rm -rf "$work/big" "$work/binary"
  done
done
