/* native_attention.h - decode attention and a matrix product in plain C, the baselines of
 * `flashtwin bench --sim`.
 *
 * It is what a competent programmer would write for a CPU: no chunks, no online softmax. Unlike all
 * other code it is compiled with -O3 -march=native -ffast-math, so its bits differ from the
 * kernels'.
 */
#ifndef NATIVE_ATTENTION_H
#define NATIVE_ATTENTION_H

/* Returns an instruction set that this code was compiled for and that this machine lacks, or NULL
 * if the code can run here. */
const char *native_attention_lacks(void);

/* out = softmax(q k^T * scale) v for each of H query heads over the first n keys of its KV head,
 * h * Hkv / H. q, out: [H, D]. k, v: [Hkv, max_len, D]. scratch: n floats. n = 0 gives zeros. */
void native_attention(const float *q, const float *k, const float *v, float *out,
		      int H, int Hkv, int D, int n, int max_len, float scale, float *scratch);

/* Floating-point operations of one call: a multiply-add counts as two, exp and max as none. */
double native_attention_flops(int H, int D, int n);

/* c = a b, for n x n matrices. */
void native_matmul(const float *a, const float *b, float *c, int n);

#endif
