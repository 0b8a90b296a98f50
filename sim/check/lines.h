/* lines.h - the basic blocks and source lines that the threads of a checked launch reached.
 *
 * Each basic block of checked objects counts in its own cell (sim/cuda/cuda_c.h), at the same cost
 * whether or not the result is used. One checked launch runs at a time. On processors other than
 * x86-64 and aarch64 blocks have no cells, and no lines are reported.
 */
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_line_count;

/* sim/cuda/cuda_c.h relies on this layout in assembly. */
struct ft_cell {
	uint32_t launch;                /* the last one that counted here */
	int32_t code;                   /* address of the block, relative to the cell */
	uint64_t count;
};

/* A checked launch begins. Returns its number for cells, never 0. */
uint32_t lines_begin(void);
/* The running launch reaches a block for the first time; [first, last) are its object's cells. */
void lines_visit(struct ft_cell *, struct ft_cell *first, struct ft_cell *last);

static inline uintptr_t lines_code(const struct ft_cell *cell)
{
	return (uintptr_t)cell + (uintptr_t)(intptr_t)cell->code;
}

/* --- blocks that launches reached --- */

struct lines;                           /* of the launches of one device */

struct lines *lines_create(void);
void lines_free(struct lines *);        /* NULL is allowed */
/* The running launch ends: its blocks are kept. Launches are numbered from 0 in order of these
 * calls; a part of the last one that ended adds to it. */
void lines_end(struct lines *, bool part);
/* Lines of a launch that ended, sorted by file and line; valid until lines_free(). The hits of a
 * line are those of its most frequently entered block. */
size_t lines_list(struct lines *, size_t launch, const struct row_line_count **out);
/* The lines of the basic block at this address, which a launch that ended has reached; hits 0.
 * Valid as above. */
size_t lines_at(struct lines *, uintptr_t code, const struct row_line_count **out);

#endif
