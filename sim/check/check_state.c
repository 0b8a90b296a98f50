/* check_state.c - the state of the running launch that hooks use; see check_state.h. */
#include "config.h"

#include "sim/check/check_state.h"

struct check_hot check_hot;
