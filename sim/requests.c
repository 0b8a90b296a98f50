/* requests.c - puts what the lanes of a warp do one by one together to requests; see requests.h.
 *
 * Each place (address of code and kind) counts how often each lane came to it, and holds the
 * requests that lanes are still missing from. Serves counters.c.
 */
#include "config.h"

#include "sim/requests.h"

#include <stdlib.h>
#include <string.h>

#include "sim/schedule.h"
#include "traces/xalloc.h"

#define SECTOR_BYTES 32
#define BANKS 32
#define WORD_BYTES 4
#define MOST_WAITING 65536u             /* requests of one place: 19 MiB */

struct request {
	uint32_t lanes;                 /* that came; 0 when it is judged */
	bool judged;
	uint8_t bytes[WARP_LANES];
	uintptr_t address[WARP_LANES];
};

struct place {
	uintptr_t pc;                   /* 0: free */
	enum request_kind kind;
	uint32_t meeting;               /* of the warp, that the rest counts from */
	uint32_t seen[WARP_LANES];      /* times that each lane came */
	uint32_t first;                 /* number of waiting[begin] */
	uint32_t refused;               /* requests from this number on are left out */
	struct request *waiting;
	size_t begin, count, room;      /* waiting[begin .. begin + count) */
};

struct requests {
	struct request_sums *sums;
	uint32_t meeting;
	struct place *places;           /* a hash table: open addresses, a power of two */
	size_t place_count, place_room;
};

struct requests *requests_create(struct request_sums *sums)
{
	struct requests *r = xcalloc(1, sizeof *r);

	r->sums = sums;
	r->place_room = 64;
	r->places = xcalloc(r->place_room, sizeof *r->places);
	return r;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->place_room; i++)
		free(r->places[i].waiting);
	free(r->places);
	free(r);
}

/* --- one request --- */

unsigned request_sectors(const uintptr_t *address, const uint8_t *bytes, uint32_t lanes)
{
	uintptr_t found[2 * WARP_LANES];
	unsigned count = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uintptr_t last = (address[lane] + bytes[lane] - 1) / SECTOR_BYTES;

		for (uintptr_t s = address[lane] / SECTOR_BYTES; s <= last; s++) {
			unsigned i = count;

			while (i > 0 && found[i - 1] != s)
				i--;
			if (i == 0)
				found[count++] = s;
		}
	}
	return count;
}

/* The most different words that lanes of one pass want from one bank. */
static unsigned passes_over_banks(const uintptr_t *address, const uint8_t *bytes, uint32_t lanes)
{
	/* Twice the lanes, for words at odd addresses; one thread calls this, on a small stack. */
	static uintptr_t words[BANKS][2 * WARP_LANES];
	unsigned count[BANKS] = { 0 }, most = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uintptr_t last = (address[lane] + bytes[lane] - 1) / WORD_BYTES;

		for (uintptr_t w = address[lane] / WORD_BYTES; w <= last; w++) {
			unsigned bank = w % BANKS, i = count[bank];

			while (i > 0 && words[bank][i - 1] != w)
				i--;
			if (i == 0)
				words[bank][count[bank]++] = w;
			most = count[bank] > most ? count[bank] : most;
		}
	}
	return most;
}

unsigned request_conflicts(const uintptr_t *address, const uint8_t *bytes, uint32_t lanes)
{
	unsigned widest = 0, step, conflicts = 0;

	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		widest = bytes[lane] > widest ? bytes[lane] : widest;
	}
	step = widest > 8 ? 8 : widest > 4 ? 16 : 32;
	for (unsigned first = 0; first < WARP_LANES; first += step) {
		uint32_t group = lanes & (uint32_t)(((1ull << step) - 1) << first);

		if (group)
			conflicts += passes_over_banks(address, bytes, group) - 1;
	}
	return conflicts;
}

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
		sums->sectors[kind] += request_sectors(request->address, request->bytes,
						       request->lanes);
	else if (kind <= REQUEST_SHARED_STORE)
		sums->conflicts[kind - REQUEST_SHARED_LOAD] +=
			request_conflicts(request->address, request->bytes, request->lanes);
}

/* --- places --- */

/* Where the place is in the table, or would be. */
static struct place *slot(struct place *places, size_t room, enum request_kind kind, uintptr_t pc)
{
	size_t i = (size_t)schedule_mix(pc, kind) & (room - 1);

	while (places[i].pc && (places[i].pc != pc || places[i].kind != kind))
		i = (i + 1) & (room - 1);
	return &places[i];
}

static void grow(struct requests *r)
{
	size_t room = 2 * r->place_room;
	struct place *places = xcalloc(room, sizeof *places);

	for (size_t i = 0; i < r->place_room; i++)
		if (r->places[i].pc)
			*slot(places, room, r->places[i].kind, r->places[i].pc) = r->places[i];
	free(r->places);
	r->places = places;
	r->place_room = room;
}

static void settle_place(struct requests *r, struct place *place)
{
	for (size_t i = 0; i < place->count; i++)
		judge(r->sums, place->kind, &place->waiting[place->begin + i]);
	memset(place->seen, 0, sizeof place->seen);
	place->first = 0;
	place->refused = UINT32_MAX;
	place->begin = place->count = 0;
	place->meeting = r->meeting;
}

static struct place *place_of(struct requests *r, enum request_kind kind, uintptr_t pc)
{
	struct place *place = slot(r->places, r->place_room, kind, pc);

	if (!place->pc) {
		if (2 * ++r->place_count > r->place_room) {
			grow(r);
			place = slot(r->places, r->place_room, kind, pc);
		}
		place->pc = pc;
		place->kind = kind;
		settle_place(r, place);
	} else if (place->meeting != r->meeting) {
		settle_place(r, place);
	}
	return place;
}

/* The request with this number; NULL when it is left out. */
static struct request *request_at(struct place *place, uint32_t number)
{
	size_t at = number - place->first;

	if (at >= MOST_WAITING && number < place->refused)
		place->refused = number;
	if (number >= place->refused)
		return NULL;
	if (place->begin + at >= place->room && place->begin > 0) {
		memmove(place->waiting, place->waiting + place->begin,
			place->count * sizeof *place->waiting);
		place->begin = 0;
	}
	if (at >= place->room) {
		place->room = place->room ? 2 * place->room : 4;
		place->waiting = xreallocarray(place->waiting, place->room,
					       sizeof *place->waiting);
	}
	/* A lane comes to them one by one: at most one is new. */
	if (at == place->count) {
		place->waiting[place->begin + at] = (struct request){ 0 };
		place->count++;
	}
	return &place->waiting[place->begin + at];
}

static void drop_judged(struct place *place)
{
	while (place->count > 0 && place->waiting[place->begin].judged) {
		place->begin++;
		place->first++;
		place->count--;
	}
	if (place->count == 0)
		place->begin = 0;
}

void requests_add(struct requests *r, const struct lane *lane, enum request_kind kind,
		  uintptr_t pc, uintptr_t address, size_t bytes)
{
	struct place *place = place_of(r, kind, pc);
	unsigned number = (unsigned)__builtin_ctz(lane->bit);
	struct request *request = request_at(place, place->seen[number]++);

	if (!request) {
		r->sums->left_out++;
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

void requests_meet(struct requests *r)
{
	r->meeting++;
}

void requests_end(struct requests *r)
{
	for (size_t i = 0; i < r->place_room; i++)
		if (r->places[i].pc)
			settle_place(r, &r->places[i]);
}
