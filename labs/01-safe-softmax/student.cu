/* student.cu - lab 1, safe softmax for one query. Read README.md first.
 *
 * Both kernels run with blocks of 64 threads, one thread for each key, in as many blocks as n keys
 * need. The first has ended, and all of its scores are in memory, before the second begins.
 */
#include "kernels/points.h"

/* scores[i] = scale * (q . key i). q: d floats. keys: n rows of d floats. scores: n floats. */
__global__ void attention_scores(const float *q, const float *keys, float *scores, float scale,
				 int n, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;  /* the key of this thread */
	float sum = 0.0f;

	/* TODO: which threads have no key? */
	/* TODO: sum = q . key i */
	if (i == 0)
		scores[i] = scale * sum;
	POINT(dot, sum, scale * sum);           /* recorded when a case fails: see `view` */
}

/* p[i] = exp(scores[i]) / (the sum of exp(scores[j]) over all n keys j), without overflow. */
__global__ void attention_weights(const float *scores, float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float m = 0.0f, sum = 1.0f;

	/* TODO: m, the maximum of all n scores */
	/* TODO: the sum of all n exponentials, and which threads have no key here */
	if (i == 0)
		p[i] = expf(scores[i]) / sum;
	POINT(weight, m, sum);
}
