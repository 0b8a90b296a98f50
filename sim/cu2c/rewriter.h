/* rewriter.h - the rewriter's state, shared by its files.
 *
 * rewrite.c walks the text and keeps track of what names mean; rewrite_shared.c writes the
 * declarations of shared variables; rewrite_loop.c counts turns of loops; rewrite_lanes.c adds
 * the form of kernels that runs whole blocks. */
#ifndef REWRITER_H
#define REWRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "sim/cu2c/prune.h"
#include "sim/cu2c/unit.h"

/* What a name means from here to the end of its scope. */
enum meaning {
	MEANS_ITSELF,           /* an ordinary variable that hides a shared one */
	MEANS_TARGET,           /* a shared variable, rewritten to (*name) */
	MEANS_OF_FILE,          /* the same declared outside functions: placed at each use */
	MEANS_DYNAMIC           /* dynamic shared memory declared outside functions */
};

struct binding {
	const struct token *name;
	enum meaning meaning;
	int end;                /* token at which the scope ends */
	int number;             /* of its ft_type_N */
};

/* Text before the token `start` (-1: written already) and before `end`. */
struct insertion {
	int start, end;
	char *open, *close;
	int loop;               /* its number; 0: none */
};

struct rewriter {
	struct unit *unit;
	const char *variant;
	const char *kernel;     /* the only one with a table; NULL: all */
	FILE *out;
	const struct function *function;        /* that contains the current token, or NULL */
	int next_function;
	bool *declares;         /* per token: whether it is a name being declared */
	int *scopes;            /* ends of the open scopes, innermost last */
	int scope_count;
	struct binding *bindings;
	int binding_count;
	int shared_count;
	/* Loops that count their turns: for each function what it reaches, and those that reach
	 * something; text that is open; how many loops; the `while` of the last do. */
	unsigned *kinds;
	int *meetings;
	int meeting_count;
	struct insertion *inserts;
	int insert_count, loop_count, tail;
	/* The current kernel's shared variables are declared at its beginning: rewriter_lanes(). In
	 * what that writes, the label for a return; 0: none. */
	bool whole;
	int leave;
	struct prune prune;
};

static inline struct token *token_of(const struct rewriter *r, int at)
{
	return &r->unit->tokens.at[at];
}

/* What the name means here; NULL if it is not bound. */
const struct binding *rewriter_binding(const struct rewriter *, const struct token *name);
/* Binds the name from here to the end of the innermost scope. */
void rewriter_bind(struct rewriter *, const struct token *name, enum meaning, int number);
/* Writes tokens with shared variables replaced. COMPILE if __shared__ is among them. */
enum status rewriter_tokens(struct rewriter *, int from, int end);

/* The same for whole statements and declarations, with their scopes. */
enum status rewriter_walk(struct rewriter *, int from, int end);

/* Writes the declaration of shared variables at *at, with specifiers `s`, and moves *at after it.
 * COMPILE for a declaration that shared memory does not allow. */
enum status rewriter_shared(struct rewriter *, const struct specifiers *s, int *at);

/* Writes what loops need before the token `at`; before the first token; frees everything. */
void rewriter_loops_at(struct rewriter *, int at);
void rewriter_loops_begin(struct rewriter *);
void rewriter_loops_end(struct rewriter *);

/* Writes, after the '{' of the current function if that is `kernel` and has barriers, the form that
 * runs whole blocks, if it has one; see rewrite_lanes.c. */
void rewriter_lanes(struct rewriter *);

#endif
