#define TENET_KERNEL avx512_kernel
#include "kernel.inc"
