/* bench_decode.h - the decode that suites of `bench` time with and without recording: the sample
 * model, 48 bytes after a prompt of 16, by flash decoding. */
#ifndef BENCH_DECODE_H
#define BENCH_DECODE_H

#include "base/status.h"

struct device;
struct llama;

enum { BENCH_STEPS = 63, BENCH_CHUNK = 128 };

/* Fails with the model's or the device's error. */
enum status bench_decode(const struct llama *, struct device *);

#endif
