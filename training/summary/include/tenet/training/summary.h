/* What a tensor holds, in a few numbers: a hash of its whole contents and its norm, minimum, maximum and NaN and
 * infinity counts, all from one pass over the memory.
 *
 * The caller describes the tensor by pointer, element type, sizes and strides, as every tensor library can; nothing of
 * PyTorch or Python is linked or needed.
 *
 *   float x[6] = {1, 2, 3, 4, 5, 6};
 *   int64_t sizes[2] = {2, 3}, strides[2] = {3, 1};
 *   tenet_summary s;
 *   if (tenet_summarise(x, TENET_FLOAT32, 2, sizes, strides, 0, &s) == TENET_SUMMARY_OK) { use(s.hash, s.norm); }
 *
 * Elements are taken in logical (row-major) order, so a tensor, its channels-last copy and the same values seen through
 * a slice of a larger one have the same summary. The hash is XXH3-64 (seed 0) of the elements' bytes in that order: it
 * tells apart -0.0 from 0.0 and one NaN payload from another, and does not depend on the shape or the element type,
 * which are for the caller to record. All results are the same bits on every machine of the same byte order, whichever
 * vector instructions it has.
 *
 * Threads: no state; call it from anywhere. The memory is only read and must stay allocated during the call. */
#ifndef TENET_TRAINING_SUMMARY_H
#define TENET_TRAINING_SUMMARY_H

#include <stdint.h>

#if defined(__GNUC__)
#define TENET_SUMMARY_API __attribute__((visibility("default")))
#else
#define TENET_SUMMARY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Element types. A quantised tensor is summarised by its stored integers; scale and zero point are the caller's. */
typedef enum tenet_dtype {
  TENET_FLOAT32 = 0,
  TENET_FLOAT64 = 1,
  TENET_FLOAT16 = 2,
  TENET_BFLOAT16 = 3,
  TENET_INT8 = 4,
  TENET_UINT8 = 5,
  TENET_INT16 = 6,
  TENET_INT32 = 7,
  TENET_INT64 = 8,
  TENET_BOOL = 9,
  TENET_COMPLEX32 = 10,
  TENET_COMPLEX64 = 11,
  TENET_COMPLEX128 = 12,
  TENET_DTYPE_COUNT = 13
} tenet_dtype;

/* Contents that are stored one way and meant another (lazy conjugate and lazy negation of PyTorch). */
enum { TENET_SUMMARY_CONJUGATE = 1, TENET_SUMMARY_NEGATE = 2 };

enum {
  TENET_SUMMARY_OK = 0,
  TENET_SUMMARY_EINVAL = -1, /* a null pointer for a tensor with elements, an unknown type, a negative size */
  TENET_SUMMARY_ETOOBIG = -2 /* more than 64 dimensions, or more than 2^60 elements */
};

typedef struct tenet_summary {
  uint64_t hash;
  uint64_t count; /* elements */
  uint64_t nan;   /* elements that are NaN (complex: in either part) */
  uint64_t inf;   /* elements that are infinite and not NaN (complex: in either part) */
  double norm;    /* Euclidean, of the finite parts */
  double sum;     /* of the finite parts */
  double min;     /* over all parts that are not NaN; NaN if there is none */
  double max;
} tenet_summary;

/* Summarises a tensor. Strides are in elements and may be zero, `strides` null means contiguous. `flags` is a sum of
 * TENET_SUMMARY_CONJUGATE and TENET_SUMMARY_NEGATE. A tensor of zero dimensions has one element; one with a size of 0
 * has none, its `data` may be null, and its hash is that of no bytes.
 * Complex values enter norm, sum, minimum and maximum with their two parts as separate numbers. 64-bit integers beyond
 * 2^53 are rounded in the statistics, never in the hash. */
TENET_SUMMARY_API int tenet_summarise(const void* data, tenet_dtype dtype, int dimensions, const int64_t* sizes,
                                      const int64_t* strides, int flags, tenet_summary* out);

/* Bytes of one element, 0 for an unknown type. */
TENET_SUMMARY_API int tenet_dtype_size(tenet_dtype dtype);

/* Name of the vector instructions in use: "baseline", "avx2" or "avx512". */
TENET_SUMMARY_API const char* tenet_summary_instructions(void);

#ifdef __cplusplus
}
#endif
#endif
