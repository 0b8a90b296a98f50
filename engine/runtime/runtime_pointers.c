/* runtime_pointers.c - uploads of memory that holds pointers to device memory.
 *
 * A program may upload a table of pointers, or structs with pointers in them. On another device its
 * buffers have other addresses. So where a recorder follows, words that are addresses of buffers
 * are uploaded as such (device_upload_pointers()): a replay writes its own addresses there. Two
 * integers of 32 bits, as in 0, 1, 2..., may look like an address inside a large buffer. So a word
 * has to be the address of a buffer's first byte, or one of many addresses in the upload. As
 * floats and doubles these words are subnormal numbers.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define WORD sizeof(uint64_t)
/* One word in so many is an address in a list of structs. */
#define SPARSE 64
/* Pieces of an upload; with more, it stays one of bytes. */
#define MAX_PIECES 4096

struct upload {
	struct runtime_device *device;
	struct stream *stream;
	struct buffer *buffer;
	uint64_t offset;                /* in the buffer, of the first byte of `from` */
	const char *from;
	size_t bytes;
	bool many;                      /* of its words are addresses */
};

static bool find_address(const struct upload *u, size_t at, struct pointer_entry *entry)
{
	struct allocation *a;
	uint64_t word;

	memcpy(&word, u->from + at, WORD);
	a = address_find((void *)(uintptr_t)word);
	if (!a || !a->buffer || a->device != u->device)
		return false;
	*entry = (struct pointer_entry){ a->buffer, word - a->address };
	return true;
}

static bool find_entry(const struct upload *u, size_t at, struct pointer_entry *entry)
{
	return find_address(u, at, entry) && (u->many || entry->offset == 0);
}

static size_t count_addresses(const struct upload *u)
{
	struct pointer_entry entry;
	size_t count = 0, at = (WORD - u->offset % WORD) % WORD;

	for (; at + WORD <= u->bytes; at += WORD)
		count += find_address(u, at, &entry);
	return count;
}

/* The end of the bytes from `at` on that are pointers, or that are not, as *pointers says. */
static size_t piece_end(const struct upload *u, size_t at, bool *pointers)
{
	struct pointer_entry entry;
	size_t end = at + WORD;

	/* Bytes before the first word of the buffer, and after the last. */
	if ((u->offset + at) % WORD)
		end = at + WORD - (u->offset + at) % WORD;
	*pointers = (u->offset + at) % WORD == 0 && end <= u->bytes && find_entry(u, at, &entry);
	while (end + WORD <= u->bytes && find_entry(u, end, &entry) == *pointers)
		end += WORD;
	return end + WORD <= u->bytes ? end : *pointers ? end : u->bytes;
}

static size_t count_pieces(const struct upload *u)
{
	bool pointers;
	size_t count = 0;

	for (size_t at = 0; at < u->bytes && count <= MAX_PIECES; count++)
		at = piece_end(u, at, &pointers);
	return count;
}

static enum status upload_entries(const struct upload *u, size_t at, size_t end)
{
	size_t count = (end - at) / WORD;
	struct pointer_entry *entries = xcalloc(count, sizeof *entries);
	enum status status;

	for (size_t i = 0; i < count; i++)
		find_entry(u, at + i * WORD, &entries[i]);
	status = device_upload_pointers(u->device->device, u->stream, u->buffer, u->offset + at,
					entries, count);
	free(entries);
	return status;
}

static enum status upload_pieces(const struct upload *u)
{
	for (size_t at = 0; at < u->bytes; ) {
		bool pointers;
		size_t end = piece_end(u, at, &pointers);

		TRY(pointers ? upload_entries(u, at, end)
		    : device_upload(u->device->device, u->stream, u->buffer, u->offset + at,
				    u->from + at, end - at));
		at = end;
	}
	return STATUS_OK;
}

enum status pointers_upload(struct runtime_device *d, struct stream *stream, struct buffer *buffer,
			    uint64_t offset, const void *from, size_t bytes)
{
	struct upload u = { d, stream, buffer, offset, from, bytes, false };
	size_t addresses = d->watched ? count_addresses(&u) : 0;

	u.many = SPARSE * addresses >= bytes / WORD;
	if (addresses > 0 && count_pieces(&u) <= MAX_PIECES)
		return upload_pieces(&u);
	return device_upload(d->device, stream, buffer, offset, from, bytes);
}
