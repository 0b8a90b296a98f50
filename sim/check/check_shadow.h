/* check_shadow.h - who touched a word, as far as it still matters. Private to the checker. */
#ifndef CHECK_SHADOW_H
#define CHECK_SHADOW_H

#include <stddef.h>

struct access;
struct check;
struct check_kept;

/* Tells races of the access with others of these bytes of a word; remembers the access. */
void check_judge(const struct access *, size_t word, unsigned mask);
void check_note(const struct access *, size_t word, unsigned mask);
/* What is remembered of a word beside its cell; NULL: nothing. */
const struct check_kept *check_kept_of(const struct check *, size_t word);
void check_forget(struct check *);

#endif
