/* The ABI from C. */
#include "tenet/monitor/abi.h"

int main(void) {
  tenet_monitor_v1_record record;
  tenet_monitor_v1_host* host = tenet_monitor_v1_begin_host(0, 0);
  if (tenet_monitor_v1_begin(&record, host, TENET_MONITOR_V1_FIRST_TYPE, 0)) {
    tenet_monitor_v1_push(&record, tenet_monitor_v1_hash("x", 1));
    tenet_monitor_v1_commit(&record);
    return 1; /* no monitor runs */
  }
  return 0;
}
