/* recorder_attention.c - records what attention is computed with; see recorder_attention.h.
 *
 * As the model, it belongs to the run: it is recorded at every level, outside of windows too.
 */
#include "engine/record/recorder_attention.h"

#include <string.h>

#include "engine/features.h"
#include "engine/record/recorder_state.h"
#include "traces/row.h"
#include "traces/store/store.h"

enum status recorder_attends(struct device *device, const struct attention_features *f)
{
	struct recorder *r = recorder_of(device);
	struct row_attention row = {
		.number = r->attentions++, .path = f->path, .rung = f->rung,
		.kv_dtype = f->kv_dtype, .queries = f->queries, .window = f->window,
		.sinks = f->sinks, .page = f->page, .lse = f->lse,
	};

	if (f->softcap != 0.0f)         /* nor -0 */
		memcpy(&row.softcap_bits, &f->softcap, sizeof row.softcap_bits);
	return store_attention(r->store, r->run, &row);
}
