/* rewriter.h - the rewriter at work: what its two files share. rewrite.c walks the text and knows
 * what names stand for; rewrite_shared.c writes the declarations of shared variables. */
#ifndef REWRITER_H
#define REWRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* What a name stands for from here to the end of its scope. */
enum meaning {
	MEANS_ITSELF,           /* an ordinary variable that hides a shared one */
	MEANS_TARGET,           /* a static shared variable: written (*name) */
	MEANS_DYNAMIC           /* dynamic memory declared outside functions */
};

struct binding {
	const struct token *name;
	enum meaning meaning;
	int end;                /* token at which the scope ends */
	int number;             /* of its ft_type_N */
};

struct rewriter {
	struct unit *unit;
	const char *variant;
	FILE *out;
	const struct function *function;        /* around the token, or NULL */
	int next_function;
	bool *declares;         /* per token: declares the name it spells */
	int *scopes;            /* ends of the open scopes, innermost last */
	int scope_count;
	struct binding *bindings;
	int binding_count;
	int shared_count;
};

static inline struct token *token_of(const struct rewriter *r, int at)
{
	return &r->unit->tokens.at[at];
}

/* What the name stands for here; NULL for a name of its own. */
const struct binding *rewriter_binding(const struct rewriter *, const struct token *name);
/* From here to the end of the innermost scope the name means this. */
void rewriter_bind(struct rewriter *, const struct token *name, enum meaning, int number);
/* Writes tokens with shared variables replaced. COMPILE for a __shared__ among them. */
enum status rewriter_tokens(struct rewriter *, int from, int end);

/* Writes the declaration of shared variables at *at, whose specifiers `s` are, and moves *at behind
 * it. COMPILE for what no block could have. */
enum status rewriter_shared(struct rewriter *, const struct specifiers *s, int *at);

#endif
