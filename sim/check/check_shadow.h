/* check_shadow.h - the recorded accesses of each word. Private to the checker. */
#ifndef CHECK_SHADOW_H
#define CHECK_SHADOW_H

#include <stddef.h>

struct access;
struct check;
struct check_kept;

/* Reports races of the access with recorded accesses of these bytes of a word; records the
 * access. */
void check_judge(const struct access *, size_t word, unsigned mask);
void check_note(const struct access *, size_t word, unsigned mask);
/* The list of a word's other records, in addition to its cell; NULL: none. */
const struct check_kept *check_kept_of(const struct check *, size_t word);
void check_forget(struct check *);

#endif
