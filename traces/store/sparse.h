/* sparse.h - bytes of which only some are known, in memory that grows with what is known.
 *
 * A trace says how large a buffer was, but may hold few of its bytes; a file of a few kilobytes
 * must not cause gigabytes to be allocated. Bytes that repeat one word take no memory either. Used
 * by state.c; knows nothing about traces.
 */
#ifndef SPARSE_H
#define SPARSE_H

#include <stddef.h>
#include <stdint.h>

struct sparse;

/* Nothing is known. NULL if there is no memory for the table of a size that no device has. */
struct sparse *sparse_new(size_t bytes);
void sparse_free(struct sparse *);      /* NULL is allowed */

/* These take ranges inside the size. known: 1 or 0 for each byte; NULL: all are known. */
void sparse_write(struct sparse *, size_t offset, const void *bytes, const unsigned char *known,
		  size_t count);
/* Repeats the word from its lowest byte on. */
void sparse_fill(struct sparse *, size_t offset, uint32_t word, size_t count);
void sparse_forget(struct sparse *, size_t offset, size_t count);
/* The bytes, 0xff where not known; either result may be NULL. */
void sparse_read(const struct sparse *, size_t offset, void *bytes, unsigned char *known,
		 size_t count);
/* Copies what is known of one range to another, which may overlap it. */
void sparse_copy(struct sparse *to, size_t to_offset, const struct sparse *from,
		 size_t from_offset, size_t count);

#endif
