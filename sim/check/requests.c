/* requests.c - coalesces per-lane accesses into warp requests; see requests.h.
 *
 * Each place (code address and kind) holds the incomplete requests, in the order of the loop
 * iterations that they were made in. Used by counters.c.
 */
#include "config.h"

#include "sim/check/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/accesses.h"
#include "sim/exec/lane.h"
#include "sim/exec/mix.h"
#include "traces/request.h"

#define MAX_WAITING 65536u             /* requests of one place: 28 MiB */
#define BULK_PIECE 16                   /* bytes */
#define MAX_LOOPS 5                     /* nesting depth; deeper iterations are not told apart */

/* A lane's position in the enclosing loops whose head it has jumped back to, outermost first. */
struct moment {
	unsigned depth;
	struct round {
		uintptr_t head, tail;   /* first block; last block that jumped back to it */
		uint64_t number;        /* from 1 on */
	} rounds[MAX_LOOPS];
};

struct request {
	struct moment moment;
	uint32_t lanes;                 /* that made the access */
	bool judged;
	uint32_t recorded;              /* its number in accesses; 0: none */
	uint8_t bytes[WARP_LANES];
	uintptr_t address[WARP_LANES];
};

struct place {
	uintptr_t pc;                   /* 0: free */
	enum request_kind kind;
	uint32_t meeting;               /* of the warp, since which the rest is counted */
	uint32_t rounds[WARP_LANES];    /* for a block: times each lane came back in a row */
	bool refusing;                  /* requests from `refused` on are left out */
	struct moment refused;
	struct request *waiting;
	size_t begin, count, capacity;  /* waiting[begin .. begin + count) */
};

struct requests {
	struct request_sums *sums;
	struct accesses *accesses;
	uint32_t meeting;
	struct moment now[WARP_LANES];
	struct place *places;           /* hash table, open addressing, power-of-two size */
	size_t place_count, place_capacity;
};

struct requests *requests_create(struct request_sums *sums, struct accesses *accesses)
{
	struct requests *r = xcalloc(1, sizeof *r);

	r->sums = sums;
	r->accesses = accesses;
	r->place_capacity = 64;
	r->places = xcalloc(r->place_capacity, sizeof *r->places);
	return r;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->place_capacity; i++)
		free(r->places[i].waiting);
	free(r->places);
	free(r);
}

/* --- one request --- */

static bool diverges(const struct request *request)
{
	uintptr_t way = request->address[__builtin_ctz(request->lanes)];

	for (uint32_t rest = request->lanes; rest; rest &= rest - 1)
		if (request->address[__builtin_ctz(rest)] != way)
			return true;
	return false;
}

static void judge(struct request_sums *sums, enum request_kind kind, struct request *request)
{
	if (request->judged || !request->lanes)
		return;
	request->judged = true;
	sums->count[kind] += kind != REQUEST_BRANCH || diverges(request);
	if (kind <= REQUEST_STORE)
		sums->sectors[kind] += request_units(request->address, request->bytes,
						     request->lanes, REQUEST_SECTOR);
	else if (kind == REQUEST_SHARED_LOAD || kind == REQUEST_SHARED_STORE)
		sums->conflicts[kind - REQUEST_SHARED_LOAD] +=
			request_conflicts(request->address, request->bytes, request->lanes,
					  kind == REQUEST_SHARED_LOAD);
}

/* --- places --- */

/* Compares iterations of the outermost loop first. A loop missing in one of them is in round 0. */
static int compare_moments(const struct moment *a, const struct moment *b)
{
	for (unsigned i = 0; i < a->depth || i < b->depth; i++) {
		uintptr_t x = i < a->depth ? a->rounds[i].head : UINTPTR_MAX;
		uintptr_t y = i < b->depth ? b->rounds[i].head : UINTPTR_MAX;

		if (x != y)
			return x < y ? 1 : -1;
		if (a->rounds[i].number != b->rounds[i].number)
			return a->rounds[i].number < b->rounds[i].number ? -1 : 1;
	}
	return 0;
}

/* The slot of a place in the table, or the free one where it belongs. */
static struct place *slot(struct place *places, size_t capacity, enum request_kind kind,
			  uintptr_t pc)
{
	size_t i = (size_t)mix(pc, kind) & (capacity - 1);

	while (places[i].pc && (places[i].pc != pc || places[i].kind != kind))
		i = (i + 1) & (capacity - 1);
	return &places[i];
}

static void grow(struct requests *r)
{
	size_t capacity = 2 * r->place_capacity;
	struct place *places = xcalloc(capacity, sizeof *places);

	for (size_t i = 0; i < r->place_capacity; i++)
		if (r->places[i].pc)
			*slot(places, capacity, r->places[i].kind, r->places[i].pc) = r->places[i];
	free(r->places);
	r->places = places;
	r->place_capacity = capacity;
}

static void settle_place(struct requests *r, struct place *place)
{
	for (size_t i = 0; i < place->count; i++)
		judge(r->sums, place->kind, &place->waiting[place->begin + i]);
	memset(place->rounds, 0, sizeof place->rounds);
	place->refusing = false;
	place->begin = place->count = 0;
	place->meeting = r->meeting;
}

static struct place *place_of(struct requests *r, enum request_kind kind, uintptr_t pc)
{
	struct place *place = slot(r->places, r->place_capacity, kind, pc);

	if (!place->pc) {
		if (2 * ++r->place_count > r->place_capacity) {
			grow(r);
			place = slot(r->places, r->place_capacity, kind, pc);
		}
		place->pc = pc;
		place->kind = kind;
		settle_place(r, place);
	} else if (place->meeting != r->meeting) {
		settle_place(r, place);
	}
	return place;
}

/* Inserts a new request before waiting[begin + at]. */
static struct request *insert(struct place *place, size_t at, const struct moment *moment)
{
	struct request *new;

	if (place->begin + place->count == place->capacity && place->begin > 0) {
		memmove(place->waiting, place->waiting + place->begin,
			place->count * sizeof *place->waiting);
		place->begin = 0;
	}
	if (place->count == place->capacity) {
		place->capacity = place->capacity ? 2 * place->capacity : 4;
		place->waiting = xreallocarray(place->waiting, place->capacity,
					       sizeof *place->waiting);
	}
	new = &place->waiting[place->begin + at];
	memmove(new + 1, new, (place->count++ - at) * sizeof *new);
	*new = (struct request){ .moment = *moment };
	return new;
}

/* The request of this moment that the lane is not in yet; NULL if it is left out. */
static struct request *request_at(struct place *place, const struct moment *moment, uint32_t lane)
{
	const struct request *waiting = place->waiting + place->begin;
	size_t low = 0, high = place->count;

	if (place->refusing && compare_moments(moment, &place->refused) >= 0)
		return NULL;
	/* Usually it is after all others. */
	if (high > 0 && compare_moments(moment, &waiting[high - 1].moment) > 0)
		low = high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_moments(moment, &waiting[middle].moment) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* A function may be called twice within one iteration. */
	for (; low < place->count && compare_moments(moment, &waiting[low].moment) == 0; low++)
		if (!(waiting[low].lanes & lane))
			return &place->waiting[place->begin + low];
	if (place->count == MAX_WAITING) {
		place->refusing = true;
		place->refused = *moment;
		return NULL;
	}
	return insert(place, low, moment);
}

static void drop_judged(struct place *place)
{
	while (place->count > 0 && place->waiting[place->begin].judged) {
		place->begin++;
		place->count--;
	}
	if (place->count == 0)
		place->begin = 0;
}

/* A request that is NULL is recorded as one of this lane alone. */
static void record(struct requests *r, struct request *request, const struct lane *lane,
		   enum request_kind kind, uintptr_t pc, uintptr_t address, size_t bytes)
{
	uint32_t number = request ? request->recorded : 0;

	if (!number)
		number = accesses_request(r->accesses, &(struct access_request){
			.block = accesses_block(lane), .warp = lane->warp->number,
			.kind = kind, .pc = pc, .meeting = r->meeting, .alone = !request,
		});
	if (request)
		request->recorded = number;
	accesses_add(r->accesses, number, lane, (unsigned)__builtin_ctz(lane->bit), address,
		     bytes);
}

void requests_add(struct requests *r, const struct lane *lane, enum request_kind kind,
		  uintptr_t pc, uintptr_t address, size_t bytes)
{
	struct place *place = place_of(r, kind, pc);
	unsigned number = (unsigned)__builtin_ctz(lane->bit);
	struct request *request = request_at(place, &r->now[number], lane->bit);

	if (kind != REQUEST_BRANCH && accesses_want(r->accesses, lane))
		record(r, request, lane, kind, pc, address, bytes);
	if (!request) {
		r->sums->left_out += kind <= REQUEST_BRANCH;
		return;
	}
	request->lanes |= lane->bit;
	request->address[number] = address;
	request->bytes[number] = (uint8_t)bytes;
	if ((request->lanes | lane->warp->exited) == UINT32_MAX) {
		judge(r->sums, kind, request);
		drop_judged(place);
	}
}

static void record_bulk(struct requests *r, const struct request *request, const struct lane *lane,
			enum request_kind kind, uintptr_t pc)
{
	uint32_t number = accesses_request(r->accesses, &(struct access_request){
		.block = accesses_block(lane), .warp = lane->warp->number, .kind = kind,
		.pc = pc, .meeting = r->meeting, .bulk = true,
	});

	for (unsigned i = 0; i < WARP_LANES && request->lanes >> i & 1; i++)
		accesses_add(r->accesses, number, lane, i, request->address[i], request->bytes[i]);
}

void requests_bulk(struct requests *r, const struct lane *lane, enum request_kind kind,
		   uintptr_t pc, uintptr_t address, size_t bytes)
{
	for (size_t done = 0; done < bytes; ) {
		struct request request = { .lanes = 0 };

		for (unsigned i = 0; i < WARP_LANES && done < bytes; i++, done += BULK_PIECE) {
			request.lanes |= 1u << i;
			request.address[i] = address + done;
			request.bytes[i] = BULK_PIECE;
		}
		judge(r->sums, kind, &request);
		if (accesses_want(r->accesses, lane))
			record_bulk(r, &request, lane, kind, pc);
	}
}

/* Compilers place a loop between its head and its tail, except for rarely entered blocks. A jump
 * back from such a block is therefore not a new iteration unless the lane has been at its target
 * before. */
void requests_step(struct requests *r, const struct lane *lane, uintptr_t from, uintptr_t to)
{
	unsigned number = (unsigned)__builtin_ctz(lane->bit);
	struct moment *now = &r->now[number];
	uint32_t *rounds = &place_of(r, REQUEST_BRANCH, to)->rounds[number];
	struct round *last;

	while (now->depth > 0 && (to < now->rounds[now->depth - 1].head
				  || to > now->rounds[now->depth - 1].tail))
		now->depth--;
	if (to > from || *rounds == 0) {
		*rounds = 1;
		return;
	}
	/* Leave the loops nested in the one with this head. */
	while (now->depth > 0 && now->rounds[now->depth - 1].head > to)
		now->depth--;
	last = now->depth > 0 ? &now->rounds[now->depth - 1] : NULL;
	if (last && last->head == to) {
		last->number = (*rounds)++;
		last->tail = from > last->tail ? from : last->tail;
	} else if (now->depth < MAX_LOOPS) {
		now->rounds[now->depth++] = (struct round){ to, from, (*rounds)++ };
	}
}

void requests_meet(struct requests *r)
{
	r->meeting++;
	/* All lanes continue from one place, whichever paths led there. */
	memset(r->now, 0, sizeof r->now);
}

void requests_end(struct requests *r)
{
	for (size_t i = 0; i < r->place_capacity; i++)
		if (r->places[i].pc)
			settle_place(r, &r->places[i]);
	memset(r->now, 0, sizeof r->now);
}
