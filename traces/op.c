/* op.c - names of operations, as traces and messages spell them; see op.h. */
#include "traces/op.h"

static const char *const op_names[OP_COUNT] = {
#define X(name, text) [OP_##name] = text,
	OP_LIST(X)
#undef X
};

const char *op_kind_name(enum op_kind kind)
{
	return (unsigned)kind < OP_COUNT ? op_names[kind] : "unknown";
}
