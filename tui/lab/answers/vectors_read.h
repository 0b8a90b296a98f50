/* vectors_read.h - reads a student's file of test vectors. */
#ifndef VECTORS_READ_H
#define VECTORS_READ_H

#include "tui/lab/case/lab_case.h"

#define MAX_VECTORS 8

struct vector {
	const char *name;
	double tolerance;               /* |got - wanted| <= tolerance * (1 + |wanted|) */
	struct lab_family family;       /* its sizes and fills, for lab_case_make() */
	json_t *sizes;                  /* the vector's own and the lab's parameters; owned */
};

struct vectors {
	json_t *root;                   /* owns the texts */
	struct vector vector[MAX_VECTORS];
	int count;
};

/* COMPILE, naming the vector and what is wrong, if the file is not a list of vectors as the handout
 * describes, with sizes within the lab's limits; IO or USAGE if it cannot be read; INTERNAL if the
 * lab is wrong. Call vectors_free() after a failure too. */
enum status vectors_read(const struct lab *, const char *file, struct vectors *out);
void vectors_free(struct vectors *);

/* The inputs of a vector for a seed. COMPILE if its fills are wrong for this seed: an unknown name,
 * a length that is not from 0 to n. Call lab_case_free() after a failure too. */
enum status vector_case(const struct lab *, const struct vector *, uint64_t seed,
			struct lab_case *out);

/* "vectors" of lab.json: "source" (a file next to it), "versions" (how many there are),
 * "correct" (how many of them), "work" ([EXPRESSION, MAX]), "sizes" (name -> [MIN, MAX] of a
 * vector), "parameters" (name -> size, drawn for each part). NULL if it is not there. */
const json_t *vectors_key(const struct lab *, const char *key);

#endif
