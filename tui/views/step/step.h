/* step.h - one decode step of one layer and head: keys, chunks, reduction, output; for the Step
 * screen.
 *
 * step_place.c finds the launches, step_read.c, step_merge.c and step_query.c read what they did,
 * step_frames.c has them one after the other, step_memory.c keeps them, step_rows.c chooses what
 * fits, step_draw.c and step_panes.c draw it. A path without chunks has one `chunk` for each warp
 * of its block, because each warp attends to a contiguous slice of the keys and the block merges
 * the warps; for a single warp or a query of a prefill launch, one for each tile of keys; for
 * attention on the host, one with all keys.
 */
#ifndef STEP_H
#define STEP_H

#include "tui/views/view_pages.h"
#include "tui/views/view_place.h"
#include "tui/views/view_recompute.h"
#include "tui/views/view_scores.h"
#include "tui/views/view_visible.h"

enum step_form {
	STEP_CHUNKS,                    /* flash decoding: a launch of chunks, one that merges */
	STEP_ROWS,                      /* a block attends to all keys of a row */
	STEP_TILES,                     /* prefill: a block attends for a tile of queries */
	STEP_HOST,                      /* the host computed the softmax: an operation */
};

struct step_chunk {
	int64_t number, block;          /* number: of the chunk, the warp or the tile */
	int64_t begin, end;             /* keys begin <= i < end; none if empty */
	bool empty;
	float max, sum;                 /* as published; of a tile: running, after it */
	double factor, share;           /* of the row, in float64; factor: exp(max - row's max), of
	                                 * a tile exp(max before - max after) */
	bool merged;                    /* the merge is known, or the tile: */
	int64_t merge_point;            /* its number in the thread; -1: it was not published */
	float merge_factor, merge_sum, merge_acc0;
	double *weight;                 /* [end - begin] of each key in the row; NULL: unknown */
	float *score;                   /* [end - begin]; NULL: unknown */
	struct view_tile *tiles;        /* [tile_count], warp after warp */
	int64_t tile_count;
};

/* How far a step has got, for a frame of its play: what comes later is not drawn. */
struct step_progress {
	int64_t published;              /* chunks, by index, that are complete */
	int64_t tiles;                  /* of the chunk after them */
	int64_t merged;                 /* chunks that are merged */
	bool output, made;              /* out is written; the step has ended */
};

/* Launches of a graph stand in the order of its nodes. */
struct step_node {
	int64_t graph, first;           /* graph 0: none; first: its first launch */
};

/* Arguments of a prefill launch, and which of its queries is shown. */
struct step_query {
	int64_t number, count;          /* of Nq */
	int64_t rows, tile;             /* queries of a block, keys of a tile */
	int64_t group, threads;         /* `group` queries have `threads` threads */
	bool reversed;                  /* the first blocks have the last queries */
	int64_t keys, offset, stride;   /* Nk; query i sees keys 0 .. i + offset */
	int64_t heads, kv_heads;        /* of one sequence */
	int64_t value_dim;              /* elements of a row of V and of out */
	int64_t q, q_offset, k, k_offset, v, v_offset;  /* buffers */
	double scale;
};

struct step {
	enum step_form form;
	struct view_place attend;       /* launch -1: an operation of the host */
	struct view_place reduce;       /* launch -1: the kernel that attends merges */
	struct view_shape shape;        /* of the launch that attends */
	struct step_node node;          /* that made the launch, in a graph */
	int64_t heads, kv_heads, slots;
	int64_t head, kv_head, slot, chosen;    /* chosen: index of the address's chunk, or -1 */
	int64_t keys, max_len;          /* that the query sees; max_len 0: unknown */
	struct view_visible visible;    /* of STEP_CHUNKS */
	struct view_pages pages;        /* the same */
	int64_t d;                      /* elements of a row of K and V; 0: unknown */
	struct step_query query;        /* of STEP_TILES */
	float *k;                       /* [k_rows][d], of prefill and the host; NULL: unknown */
	int64_t k_rows;
	int64_t first_written, last_written;    /* positions written in this step; last -1: none */
	struct step_chunk *chunks;      /* [count], those with keys first */
	int64_t count, live;            /* live: with keys */
	bool tiled;                     /* `chunks` are tiles of keys, with running numbers */
	bool published;                 /* the numbers of chunks are the kernel's */
	double max, total;              /* of the row, in float64 */
	unsigned char *text;            /* [text_keys], 0: not known */
	int64_t text_keys;              /* of prefill more than this query sees */
	bool has_text;
	int made;                       /* the byte that the step produced, -1: none */
	int64_t made_position;
	float out0;
	bool has_out;
	bool writes_lse;                /* log-sum-exps, of STEP_CHUNKS */
	float lse;                      /* of the row, if: */
	bool has_lse;
	struct view_recomputed recomputed;      /* where its points are from */
};

/* Finds the step of the address: of its launch, of the upload into a cache that it names, or else
 * the last attention up to its step or operation. *found is false if the run has none. USAGE if the
 * address does not exist. */
enum status step_find(const struct view_context *, struct step *, bool *found);
/* Reads what step_find() found. Weights of keys are read for a limited number of chunks: the chosen
 * one, the last one, and those with the largest shares. Call step_free() also after an error. */
enum status step_read(const struct view_context *, struct step *);
void step_free(struct step *);

bool step_has_weights(const struct step *);
/* "chunk", "warp", "tile" or "keys": what the rows of the screen are. */
const char *step_unit(const struct step *);
/* Whether the key was written in this step, unless all of them were. */
bool step_is_new(const struct step *, int64_t key);
/* Which position of a KV head or slot was written in this step by itself; -1: none, or several. */
int64_t step_new_key(const struct step *);

/* --- step_options.c --- */

/* After the chunks were read. */
enum status step_options_read(const struct view_context *, struct step *);
/* The sequence of its slot: of several queries, each is a slot. */
int64_t step_sequence(const struct step *);
/* Where a key is in its sequence: with a window a query does not see all. */
int64_t step_position(const struct step *, int64_t key);
/* "softcap 50  query 1 of 4: 2 newer keys are masked  window 100, sinks 4: sees keys 0..3 and
 * 900..999 of 1000"; "": none is set. */
void step_options_text(const struct step *, char text[240]);

/* "log-sum-exp 5.12"; without the number if that is unknown or not yet `written`; "": none. */
void step_lse_text(const struct view_context *, const struct step *, bool written,
		   char text[64]);

/* The length that the cache of the launch can have; 0: unknown. */
enum status step_max_len_read(const struct view_context *, struct step *);

/* --- step_query_place.c --- */

/* Whether the kernel is attention_prefill or attention_prefill_tiled. */
bool step_has_queries(const char *kernel);
/* Which row of blocks has a tile of queries, and which tile a row of blocks has. */
int64_t step_query_row(const char *kernel, int64_t tiles, int64_t tile);
/* Sets rows, tile, group, threads and reversed for the kernel and its head size. */
void step_query_shape(struct step *s);
/* The query that the address names, and its head. */
void step_query_choose(struct step *s, const struct address *at);
/* The last query of a tile of queries. */
int64_t step_query_last(const struct step_query *, int64_t tile);

/* --- step_query.c --- */

/* Reads the arguments of a prefill launch, and which query the address names: the last one of its
 * block, or of all, if it names no lane. */
enum status step_query_find(const struct view_context *, struct step *);
/* The tiles of the query, with weights from q and K if the trace has these. */
enum status step_query_read(const struct view_context *, struct step *);
/* The keys of attention on the host, with weights from q and K. */
enum status step_host_read(const struct view_context *, struct step *);
/* The lane of the launch that publishes a query's points. */
void step_query_address(const struct step *, int64_t query, struct address *);
/* The point of a tile, if `tiled`. */
void step_tile_address(const struct step *, int64_t chunk, struct address *);
/* The shares of tiles from their running maxima and sums alone. */
void step_share_tiles(struct step *);
/* For each of the queries first .. first + count - 1, the shares of the key tiles, [count][*tiles],
 * NaN for tiles that it does not see; *tiles is how many the last of them sees. The caller frees
 * *shares; NULL: unknown. */
enum status step_query_shares(const struct view_context *, const struct step *, int64_t first,
			      int64_t count, double **shares, int64_t *tiles);
/* --- step_merge.c --- */

/* How the chunks or warps were merged, from the points of the kernel that merges. Where the blocks
 * that attend merge too, it is computed from the partials, in the kernel's order and with its bits.
 */
enum status step_merge_read(const struct view_context *, struct step *);

/* --- step_bytes.c --- */

/* Rows of K or V as they were when the step attended, [end - begin][d]. *known is false if the
 * trace lacks some of them. */
enum status step_cache_rows(const struct view_context *, const struct step *, char tensor,
			    int64_t begin, int64_t end, float *out, bool *known);

/* --- step_frames.c --- */

enum step_frame_kind { FRAME_APPEND, FRAME_TILE, FRAME_PARTIAL, FRAME_MERGE, FRAME_OUTPUT,
		       FRAME_MADE };

/* One frame of a step as it happened: what it adds, and the address that names it. */
struct step_frame {
	enum step_frame_kind kind;
	int64_t chunk, tile;            /* index of the chunk; tile of it, from 0 */
	char tensor;                    /* appended: 'k', 'v' or 0 for both */
	struct address at;
};
/* All frames of a step that was read, in order: what appended K and V, the tiles and partial of
 * each chunk, its merge, the output, the byte it produced. What the trace has no points of has no
 * frame. The caller frees *frames. */
enum status step_frames(const struct view_context *, const struct step *,
			struct step_frame **frames, int64_t *count);
/* The frame that the address names; -1: none. */
int64_t step_frame_at(const struct step_frame *frames, int64_t count, const struct address *);
/* How far the step has got with this frame; with NULL it is over. */
struct step_progress step_frame_progress(const struct step *, const struct step_frame *);
/* "tile 2 of chunk 3" */
void step_frame_text(const struct step *, const struct step_frame *, char text[64]);

/* --- step_memory.c --- */

/* A step that was read, with the same one of a second run, and its frames. */
struct step_memory {
	struct store *store;            /* NULL: nothing was read */
	int64_t run;
	struct step step, second;
	bool has_second;
	bool equal;
	char verdict[96];               /* equal, or what differs first; "": one run */
	struct step_frame *frames;
	int64_t count;
};
/* Reads the step of the address. If the address is a frame of the step that is in memory already,
 * that is what is meant, and nothing is read. *found is false if the run has no step here; its
 * `live` is 0 if nothing is known about its keys. */
enum status step_memory_read(const struct view_context *, struct step_memory *, bool *found);
void step_memory_clear(struct step_memory *);

/* --- step_compare.c --- */

/* Compares a step with that of a second run, place by place in the order of the frames. */
enum status step_compare(const struct view_context *, const struct view_context *second,
			 struct step_memory *);
/* Whether the bits are equal; all NaNs are. */
bool step_same(float, float);

/* --- view_step.c --- */

/* Draws every frame of the step of the address, one below the other. */
enum status step_play(const struct view_context *);

/* --- step_rows.c --- */

/* A line of keys, or a gap: keys of one or several chunks that are not shown. */
struct step_row {
	int64_t begin, end;
	int64_t chunk, last_chunk;      /* indices */
	double share;
	bool gap;
	bool first;                     /* the first line shown of its chunk */
};
/* Splits the keys into lines of `width` keys, and replaces lines with gaps until at most `lines`
 * are left, if lines > 0. The chosen chunk, the newest key and the largest shares stay. The caller
 * frees *rows. */
void step_rows(const struct step *, int64_t width, int64_t lines, struct step_row **rows,
	       int64_t *count);

/* --- step_draw.c --- */

/* Draws the step that was read; `frame` -1: all of it, else only what has happened by then. */
enum status step_draw(const struct view_context *, const struct step_memory *, int64_t frame);

#endif
