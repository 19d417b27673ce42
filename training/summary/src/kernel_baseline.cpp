#define TENET_KERNEL baseline_kernel
#include "kernel.inc"
