/* attention.c - small functions about shapes and modes; see attention.h. */
#include "engine/attention/attention.h"

#include <limits.h>
#include <math.h>

const char *graph_mode_name(enum graph_mode mode)
{
	static const char *const names[GRAPH_MODES] = {
		[GRAPH_NONE] = "none", [GRAPH_CAPTURE] = "capture", [GRAPH_MANUAL] = "manual",
	};

	return (unsigned)mode < GRAPH_MODES ? names[mode] : "unknown";
}

bool attention_has_options(const struct attention_shape *s)
{
	return s->softcap != 0.0f || s->window != 0 || s->sinks != 0 || s->lse
		|| s->pages.rows != 0 || s->queries > 1;
}

bool attention_appends(const struct attention_shape *s)
{
	return s->pages.rows == 0 || s->pages.append;
}

int attention_queries(const struct attention_shape *s)
{
	return s->queries > 1 ? s->queries : 1;
}

int attention_rows(const struct attention_shape *s)
{
	return s->slots * attention_queries(s);
}

int attention_whole_window(const struct attention_shape *s)
{
	int more = attention_queries(s) - 1;

	return s->window == 0 ? 0 : s->window > INT_MAX - more ? INT_MAX : s->window + more;
}

float attention_scale(int head_dim)
{
	return 1.0f / sqrtf((float)head_dim);
}

int attention_max_chunks(int max_len, int chunk)
{
	if (chunk == 0)
		return 0;
	return max_len / chunk + (max_len % chunk != 0);
}
