/* unit_program.h - changes of a user's file; private to unit_read.c. */
#ifndef UNIT_PROGRAM_H
#define UNIT_PROGRAM_H

#include "sim/cu2c/unit.h"

/* What a declaration says of a function. */
struct function_kind {
	bool device, host;              /* __device__, __host__ */
	bool is_constexpr;
	bool member;                    /* defined in a class */
	bool system;                    /* in a system header */
};

/* Whether <<< begins at the token. */
bool unit_begins_launch(const struct token *);
/* Before declarations are read: replaces k<<<c>>>(a) by a call. COMPILE for a launch that cannot be
 * read. */
enum status unit_replace_launches(struct unit *);
/* Changes the function that is declared at `start`, for the unit's pass. */
enum status unit_program_function(struct unit *, int start, const struct function *,
				  const struct function_kind *);
/* Replaces the token if it is one of CUDA's qualifiers, in a user's file. */
void unit_replace_qualifier(struct unit *, int at);
/* After declarations are read: replaces threadIdx and the like in device code, also in a file of
 * kernels only. */
void unit_replace_builtins(struct unit *);
/* The same in [from, end), whatever that is part of. */
void unit_replace_builtins_in(struct unit *, int from, int end);
/* Removes the body of a function, with the initialisers of a constructor, but keeps its
 * declaration. */
void unit_drop_body(struct unit *, const struct function *);

#endif
