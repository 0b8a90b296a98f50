/* generators.h - inputs that depend on each other, made after the fills of a case. */
#ifndef GENERATORS_H
#define GENERATORS_H

#include "tui/lab/case/lab_case.h"

/* An element that no one has written before the kernel: it is not uploaded. */
#define LAB_UNWRITTEN NAN

/* INTERNAL if there is no generator of this name, or an array that it needs is missing. */
enum status generator_run(const char *name, struct lab_case *);

/* For generators: an input array, or a size, of the lab. INTERNAL if it has none. */
enum status generator_array(struct lab_case *, const char *name, struct case_array **out);
enum status generator_size(const struct lab_case *, const char *name, int64_t *out);

typedef enum status generator_fn(struct lab_case *);
generator_fn generate_numbered_heads, generate_paged_cache, generate_partials;

#endif
