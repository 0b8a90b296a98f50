/* view_memory.h - one request of a warp, for the Memory screen; see view_memory.c.
 *
 * Also finds the bytes that a request accesses, for the viewer's keys w and r.
 */
#ifndef VIEW_MEMORY_H
#define VIEW_MEMORY_H

#include "traces/request.h"
#include "tui/views/view_place.h"

struct memory_request {
	int64_t warp, number;           /* warp: counted through the grid; -1: there is none */
	bool load, atomic, shared;
	bool bulk;                      /* of a bulk copy: lanes are its pieces */
	uint32_t lanes;                 /* mask */
	uint64_t address[REQUEST_LANES];        /* the buffer, shifted by MEMORY_BUFFER, + offset */
	uint8_t bytes[REQUEST_LANES];
	uint64_t bits[REQUEST_LANES];
	uint32_t known;                 /* mask of the lanes whose bits are */
	char file[256];                 /* "": not known */
	int64_t line;
};
#define MEMORY_BUFFER 40
#define MEMORY_OFFSET(address) ((int64_t)((address) & ((UINT64_C(1) << MEMORY_BUFFER) - 1)))

/* Reads a request by its warp and number. DAMAGED if its rows are out of range. */
enum status memory_read(const struct view_context *, int64_t launch, int64_t warp, int64_t number,
			struct memory_request *out);
/* The request of the context's address in the launch; warp -1: none. */
enum status memory_at(const struct view_context *, const struct view_place *,
		      struct memory_request *out);
/* The launch and the request that the screen shows for the context's address: without a request in
 * it, that of the line with the most waste. *found is false if the run has none there. */
enum status memory_shown(const struct view_context *, struct view_place *,
			 struct memory_request *out, bool *found);
/* How many warps a block of the launch has. */
int64_t memory_warps(const struct view_place *);
/* "load", "bulk read" and so on; "lane" or, of a bulk copy, "piece". */
const char *memory_kind(const struct memory_request *);
const char *memory_lane(const struct memory_request *);
/* A character for each lane or number below 32: 0 to 9, a to v. */
char memory_digit(unsigned number);

/* --- view_memory_lines.c --- */

/* The requests of a source line of one kind, in global or shared memory. */
struct memory_line {
	char *file;                     /* owned; "": not known */
	int64_t line, requests, lanes, bytes, sectors, conflicts;
	int64_t kind, space;            /* as stored */
	int64_t warp, number;           /* of its first request; -1: not found */
};

/* First those of global memory, each part with the most waste first. */
struct memory_lines {
	struct memory_line *list;
	size_t count;
};

/* Lines of the launch. Free them, after an error too. */
enum status memory_read_lines(const struct view_context *, const struct view_place *,
			      struct memory_lines *);
void memory_lines_free(struct memory_lines *);
/* Lists those of global or of shared memory. */
enum status memory_print_lines(const struct view_context *, const struct view_place *,
			       const struct memory_lines *, bool shared);
/* Bytes moved in vain, or that passes over the banks could have accessed. */
int64_t memory_in_vain(const struct memory_line *);
/* The name of a file without its folders. */
const char *memory_base_name(const char *file);
/* The first request of the other source line of global memory with the most bytes, to compare a
 * request of global memory with; warp -1: none. */
enum status memory_contrast(const struct view_context *, const struct view_place *,
			    const struct memory_lines *, const struct memory_request *,
			    struct memory_request *out);
/* Makes the current line the row of a request. */
void memory_anchor(const struct view_context *, const struct view_place *, int64_t warp,
		   int64_t number);

/* --- view_memory_request.c --- */

#define MEMORY_SOURCE 120
/* The text of the request's source line, without its indentation; "": not known. */
enum status memory_source(const struct view_context *, const struct view_place *,
			  const struct memory_request *, char out[MEMORY_SOURCE]);
/* How its lanes are spread over lines of 128 bytes, if that can be said in a few words, or "". */
const char *memory_verdict(const struct memory_request *);
/* Draws a request, and one to compare it with if there is one: next to it if there is space. */
enum status memory_draw_requests(const struct view_context *, const struct view_place *,
				 const struct memory_lines *, const struct memory_request *);

/* --- view_memory_picture.c --- */

/* Draws where the lanes' bytes are in sectors and lines, or in banks. `headed`: with the names of
 * sectors; `legend`: and what the characters mean. */
enum status memory_draw_picture(const struct view_context *, const struct memory_request *,
				bool headed, bool legend);
/* The 128-byte line, or bank, of each lane in one character: the same for the same. In shared
 * memory, '=' accesses the same word as a lane before it. */
void memory_pattern(const struct memory_request *, char out[REQUEST_LANES + 1]);
/* The name of a buffer. */
enum status memory_buffer(const struct view_context *, uint64_t address, char *name, size_t size);

#endif
