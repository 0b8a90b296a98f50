/* lines.h - which basic blocks the threads of a checked launch came to, and the source lines of them.
 *
 * Each basic block of checked objects has a cell of its own, which it counts in (sim/cuda/cuda_c.h), so
 * that a block costs the same whether or not anybody asks. One checked launch runs at a time. On
 * processors other than x86-64 blocks have no cells, and no lines are known.
 */
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stddef.h>
#include <stdint.h>

struct row_line_count;

/* sim/cuda/cuda_c.h spells this out in assembly. */
struct ft_cell {
	uint32_t launch;                /* that it was counted in last */
	int32_t code;                   /* the block, from here */
	uint64_t count;
};

/* A checked launch begins, and gets a number other than 0 for cells; it ends. */
uint32_t lines_begin(void);
/* The running launch comes to a block for the first time; [first, last) are its object's cells. */
void lines_visit(struct ft_cell *, struct ft_cell *first, struct ft_cell *last);

static inline uintptr_t lines_code(const struct ft_cell *cell)
{
	return (uintptr_t)cell + (uintptr_t)(intptr_t)cell->code;
}

/* --- what launches came to --- */

struct lines;                           /* of the launches of one device */

struct lines *lines_create(void);
void lines_free(struct lines *);        /* NULL is fine */
/* The running launch ends: its blocks are kept, as those of the next launch from 0 on. */
void lines_end(struct lines *);
/* Lines of a launch that ended, by file and line; as long as the struct lives. A line has several
 * blocks: the one that threads came to most often says how often they came. */
size_t lines_list(struct lines *, size_t launch, const struct row_line_count **out);

#endif
