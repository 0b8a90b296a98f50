/* check_state.c - the running launch as hooks need it; see check_state.h. */
#include "config.h"

#include "sim/check/check_state.h"

struct check_hot check_hot;
