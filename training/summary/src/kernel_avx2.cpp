#define TENET_KERNEL avx2_kernel
#include "kernel.inc"
