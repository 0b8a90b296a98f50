/* check_access.h - checks one access of the running lane. Private to the checker. */
#ifndef CHECK_ACCESS_H
#define CHECK_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/check/check_state.h"

/* flags: RECORD_ATOMIC, RECORD_VOLATILE, RECORD_BLOCK, RECORD_WIDE. pc: return address of the
 * hook. */
void check_access(uintptr_t address, size_t bytes, enum check_kind, unsigned flags, uintptr_t pc);
/* The bytes of the word at `at` that an access ending at `end` touches, as a mask. */
unsigned check_mask_of(uintptr_t at, uintptr_t end);

#endif
