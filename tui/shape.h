/* shape.h - the shape of a batch of decode attention as text: "1,32/8,128,32K".
 *
 * SEQUENCES,HEADS/KV_HEADS,HEAD_SIZE,KEYS. K and M after a number of keys are 1,024 and 1,048,576.
 * KEYS holds for all sequences, or is a list: "3,32/8,128,500+2x64K" has one sequence of 500 keys
 * and two of 65,536. Used by `bench --suite decode` and `info --plan`.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/attention/attention.h"

struct shape_run {                      /* sequences of the same length, in order */
	int count, keys;
};

struct shape {
	int sequences, heads, kv_heads, head_dim;       /* 1 or more */
	struct shape_run *runs;                 /* [run_count] owned; the counts add up */
	size_t run_count;
	enum dtype kv_dtype;            /* of keys and values; F32 (0) after shape_parse() */
	int queries;                    /* of each sequence; 0 after shape_parse(): 1 */
};

/* USAGE, beginning with `who`, for text that is not a shape. Free the shape after success. */
enum status shape_parse(const char *who, const char *text, struct shape *out);
void shape_free(struct shape *);
/* The shortest text; a shape of equal lengths has one spelling. The caller frees it. */
char *shape_text(const struct shape *);
/* The same, but "500..64K" for the lengths if there are more than four runs. */
char *shape_label(const struct shape *);
/* The keys of each sequence, [sequences]. The caller frees them. */
int *shape_lengths(const struct shape *);
int shape_max_keys(const struct shape *);
int shape_min_keys(const struct shape *);
int64_t shape_total_keys(const struct shape *);
/* Bytes of the keys and values of all sequences. */
double shape_bytes(const struct shape *, size_t element);
/* One layer of flash decoding with it; the rest of the fields as usual. */
struct attention_shape shape_attention(const struct shape *);

#endif
