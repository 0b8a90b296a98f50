/* symbol.h - names the source line of a code address of this process.
 *
 * For reports only: no result of a kernel depends on it. Reads debug information at the first call,
 * takes a lock and allocates, so it must not be used in signal handlers.
 */
#ifndef SYMBOL_H
#define SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	const char *function;           /* the innermost function, inlined or not */
	const char *file;               /* as passed to the compiler; NULL if unknown */
	int line;                       /* 0 if unknown */
};

/* False if no named function contains the address, or flashtwin was built without libdw. The
 * strings are valid until the process ends. For a return address pass one byte less, to get the
 * line of the call and not of the code after it. */
bool symbol_find(const void *address, struct symbol *out);

/* The same, but in inlined built-ins of sim/, such as atomicAdd(), gives the line that called
 * them. */
bool symbol_find_caller(const void *address, struct symbol *out);

/* A call in the source. */
struct symbol_place {
	const char *file;
	int line, column;               /* 0: unknown column */
};

/* The calls that contain a code address, from the innermost: that at the address itself if
 * `itself`, then those of the inlined functions that it is in. Returns how many; at most `most`. */
unsigned symbol_calls(uintptr_t address, bool itself, struct symbol_place *out, unsigned most);
/* Whether there is debug information about the address. */
bool symbol_has_lines(uintptr_t address);

/* The name of the variable at an address, and the offset of the address in it; NULL as above. */
const char *symbol_of_variable(const void *address, size_t *offset);

/* Calls `tell` for each line on which a statement begins in the basic block [begin, end); lines may
 * repeat. `before` is the address of the preceding block: if that is in another function, the range
 * starts at the beginning of this block's function. The range ends at the end of the function.
 * Files and inlined built-ins are treated as above. */
void symbol_lines(uintptr_t before, uintptr_t begin, uintptr_t end,
		  void (*tell)(void *context, const char *file, int line), void *context);

#endif
