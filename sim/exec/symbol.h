/* symbol.h - names the source line of a code address of this process.
 *
 * For reports only: nothing depends on an answer. Reads debug information when first asked, takes a
 * lock and allocates, so it is not for signal handlers.
 */
#ifndef SYMBOL_H
#define SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	const char *function;           /* innermost one, inlined or not */
	const char *file;               /* as the compiler was given it, NULL without lines */
	int line;                       /* 0 without lines */
};

/* False when the address lies in no function that has a name, or flashtwin was built without libdw.
 * The strings are good until the process ends. For a return address pass one byte less: the line of
 * the call, not of what follows it. */
bool symbol_find(const void *address, struct symbol *out);

/* The same, but where the words of sim/ were inlined, as atomicAdd() is, the line that used them. */
bool symbol_find_caller(const void *address, struct symbol *out);

/* The name of the variable at an address, and how far into it that is; NULL as above. */
const char *symbol_of_variable(const void *address, size_t *offset);

/* Tells of each line that statements begin of in the code [begin, end), some of them more than once: a
 * basic block, of which `before` is the one in front of it. No further than to the end of its function;
 * the first block of a function begins with it. Files and words of sim/ as above. */
void symbol_lines(uintptr_t before, uintptr_t begin, uintptr_t end,
		  void (*tell)(void *context, const char *file, int line), void *context);

#endif
