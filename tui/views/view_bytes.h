/* view_bytes.h - the byte of text at each key, where a model decoded text. */
#ifndef VIEW_BYTES_H
#define VIEW_BYTES_H

#include "tui/views/view.h"

/* Bytes at positions begin <= i < end of a slot as of a step (-1: the run's end), into out
 * [end - begin]; 0 where none is known. */
enum status view_bytes_read(const struct view_context *, int64_t slot, int64_t step, int64_t begin,
			    int64_t end, unsigned char *out);
/* A byte in one column: '$' ends a line, '?' is not printable, ' ' is unknown. */
char view_byte_mark(unsigned char byte);
#define VIEW_BYTES_LEGEND "$ is '\\n'"

#endif
