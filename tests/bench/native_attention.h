/* native_attention.h - decode attention in plain C, the yardstick of `flashtwin bench --sim`.
 *
 * What a competent programmer writes without thinking of GPUs: no chunks, no online softmax.
 * Compiled -O3 -march=native -ffast-math, unlike everything else here, so its bits agree with
 * nothing.
 */
#ifndef NATIVE_ATTENTION_H
#define NATIVE_ATTENTION_H

/* The compiler used what the building machine has: an instruction set that this machine lacks, or
 * NULL when the code can run here. */
const char *native_attention_lacks(void);

/* out = softmax(q k^T * scale) v for each of H query heads over the first n keys of its KV head,
 * h * Hkv / H. q, out: [H, D]. k, v: [Hkv, max_len, D]. scratch: n floats. n = 0 gives zeros. */
void native_attention(const float *q, const float *k, const float *v, float *out,
		      int H, int Hkv, int D, int n, int max_len, float scale, float *scratch);

/* Floating-point operations of one call, a multiply-add counting two, exp and max not at all. */
double native_attention_flops(int H, int D, int n);

#endif
