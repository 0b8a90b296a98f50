/* path.h - the calls that lead a lane to a barrier or an __activemask().
 *
 * A path is a list of return addresses, so taking and comparing one is cheap. Compilers copy code:
 * paths with different addresses are the same if the calls are at the same places of the source.
 * Needs kernels compiled with frame pointers.
 */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;
struct symbol_place;

#define PATH_CALLS 16                   /* outer ones are left out */

struct call_path {
	unsigned count;
	uintptr_t pc[PATH_CALLS];       /* return addresses, the innermost first */
};

/* The path of the running fiber to the function with this frame. */
void path_take(const struct fiber *, const void *frame, struct call_path *out);
/* Whether two lanes at the same site came there by the same calls. If not, and unless they are
 * NULL, *at_a and *at_b are the innermost calls that differ. Without debug information all paths
 * to a site are the same. */
bool path_same(const struct call_path *a, const struct call_path *b, struct symbol_place *at_a,
	       struct symbol_place *at_b);
/* A launch begins on this OS thread: other code may be at addresses that were compared before. */
void path_forget(void);

#endif
