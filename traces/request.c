/* request.c - sectors, lines and bank conflicts of one request; see request.h. */
#include "traces/request.h"

#include "traces/row.h"

/* --- units of global memory --- */

unsigned request_find_units(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
			    unsigned unit, uint64_t *out)
{
	unsigned count = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint64_t last = (address[lane] + bytes[lane] - 1) / unit;

		for (uint64_t s = address[lane] / unit; s <= last; s++) {
			unsigned i = count;

			while (i > 0 && out[i - 1] != s)
				i--;
			if (i == 0)
				out[count++] = s;
		}
	}
	return count;
}

unsigned request_units(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
		       unsigned unit)
{
	uint64_t found[2 * REQUEST_LANES];

	return request_find_units(address, bytes, lanes, unit, found);
}

unsigned request_distinct(const uint64_t *address, const uint8_t *bytes, uint32_t lanes)
{
	uint64_t sector[2 * REQUEST_LANES];
	uint32_t touched[2 * REQUEST_LANES] = { 0 };
	unsigned count = request_find_units(address, bytes, lanes, REQUEST_SECTOR, sector);
	unsigned distinct = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes), i = 0;

		for (unsigned b = 0; b < bytes[lane]; b++) {
			uint64_t at = address[lane] + b;

			while (sector[i] != at / REQUEST_SECTOR)
				i = (i + 1) % count;
			touched[i] |= 1u << at % REQUEST_SECTOR;
		}
	}
	for (unsigned i = 0; i < count; i++)
		distinct += (unsigned)__builtin_popcount(touched[i]);
	return distinct;
}

/* --- banks of shared memory --- */

/* The maximum number of distinct words that the lanes access in one bank. */
static unsigned passes_over_banks(const uint64_t *address, const uint8_t *bytes, uint32_t lanes)
{
	/* Twice the lanes, for misaligned words. Static because stacks of simulated threads are
	 * small. */
	static _Thread_local uint64_t words[REQUEST_BANKS][2 * REQUEST_LANES];
	unsigned count[REQUEST_BANKS] = { 0 }, max = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint64_t last = (address[lane] + bytes[lane] - 1) / REQUEST_WORD;

		for (uint64_t w = address[lane] / REQUEST_WORD; w <= last; w++) {
			unsigned bank = w % REQUEST_BANKS, i = count[bank];

			while (i > 0 && words[bank][i - 1] != w)
				i--;
			if (i == 0)
				words[bank][count[bank]++] = w;
			max = count[bank] > max ? count[bank] : max;
		}
	}
	return max;
}

/* Whether each pair of active lanes whose numbers differ in only this bit accesses one address. */
static bool in_pairs(const uint64_t *address, uint32_t lanes, unsigned bit)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		if (lanes >> (lane ^ bit) & 1 && address[lane] != address[lane ^ bit])
			return false;
	}
	return true;
}

unsigned request_group(const uint64_t *address, const uint8_t *bytes, uint32_t lanes, bool load)
{
	unsigned widest = 0, group;

	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);

		widest = bytes[lane] > widest ? bytes[lane] : widest;
	}
	group = widest > 8 ? 8 : widest > 4 ? 16 : 32;
	if (group < 32 && load && (in_pairs(address, lanes, 1) || in_pairs(address, lanes, 2)))
		group *= 2;
	return group;
}

unsigned request_conflicts(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
			   bool load)
{
	unsigned step = request_group(address, bytes, lanes, load), conflicts = 0;

	for (unsigned first = 0; first < REQUEST_LANES; first += step) {
		uint32_t group = lanes & (uint32_t)(((1ull << step) - 1) << first);

		if (group)
			conflicts += passes_over_banks(address, bytes, group) - 1;
	}
	return conflicts;
}

/* --- all of it --- */

struct request_cost request_cost(const struct row_request *r)
{
	uint64_t address[REQUEST_LANES];
	uint8_t bytes[REQUEST_LANES];
	uint32_t lanes = 0;

	for (unsigned i = 0; i < r->count; i++) {
		const struct row_access *a = &r->accesses[i];

		/* Lanes may access several buffers. */
		address[a->lane] = ((uint64_t)a->buffer << 40) + a->offset;
		bytes[a->lane] = a->bytes;
		lanes |= 1u << a->lane;
	}
	if (r->space == SPACE_SHARED)
		return (struct request_cost){
			.bytes = request_distinct(address, bytes, lanes),
			.conflicts = request_conflicts(address, bytes, lanes,
						       r->kind == ACCESS_LOAD
						       || r->kind == ACCESS_BULK_READ),
		};
	return (struct request_cost){
		.bytes = request_distinct(address, bytes, lanes),
		.sectors = request_units(address, bytes, lanes, REQUEST_SECTOR),
		.lines = request_units(address, bytes, lanes, REQUEST_LINE),
	};
}
