/* attend_prefill.c - the paths prefill and prefill-tiled of `flashtwin attend`: many queries at
 * once; see attend.h. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/attend.h"
#include "tui/attend_tensor.h"

/* k must match q in its head dimension only; v must match k in its KV heads and keys. */
static enum status read_tensors(struct attend *attend)
{
	int64_t wanted[3] = { -1, -1, -1 };

	TRY(attend_read_q(attend));
	TRY(attend_check_tensor("--q", attend->q_path, &attend->q, DTYPE_F32, 3, wanted));
	wanted[2] = attend->q.shape[2];
	TRY(npy_read(attend->k_path, &attend->k));
	TRY(attend_check_tensor("--k", attend->k_path, &attend->k, DTYPE_F32, 3, wanted));
	wanted[0] = attend->k.shape[0];
	wanted[1] = attend->k.shape[1];
	wanted[2] = -1;
	TRY(npy_read(attend->v_path, &attend->v));
	return attend_check_tensor("--v", attend->v_path, &attend->v, DTYPE_F32, 3, wanted);
}

enum status attend_prefill_prepare(struct attend *attend)
{
	const int64_t *q, *k, *v;

	TRY(read_tensors(attend));
	q = attend->q.shape;
	k = attend->k.shape;
	v = attend->v.shape;
	attend->prefill = (struct prefill){
		.heads = (int)q[0], .kv_heads = (int)k[0], .queries = (int)q[1], .keys = (int)k[1],
		.head_dim = (int)q[2], .value_dim = (int)v[2], .stride = (int)k[1],
		.mask = attend->mask,
		.scale = attend->scale_given ? attend->shape.scale : attention_scale((int)q[2]),
		.layer = 0, .tiled = attend->run.path->tiled,
	};
	TRY(prefill_check(attend->run.path->name, &attend->prefill));
	attend->shape.scale = attend->prefill.scale;
	attend->out_shape[0] = q[0];
	attend->out_shape[1] = q[1];
	attend->out_shape[2] = v[2];
	attend->out_count = (size_t)q[0] * (size_t)q[1] * (size_t)v[2];
	attend->out = xcalloc(attend->out_count + 1, sizeof(float));
	return STATUS_OK;
}

enum status attend_prefill_target(const struct run_target *target, void *context)
{
	struct attend *attend = context;
	float *out = target->first ? attend->out : xcalloc(attend->out_count + 1, sizeof(float));
	enum status status = device_step_begin(target->device, 0);

	if (status == STATUS_OK)
		status = prefill_run(target->device, &attend->prefill, attend->q.data,
				     attend->k.data, attend->v.data, out);
	if (status == STATUS_OK)
		status = device_step_end(target->device);
	if (!target->first)
		free(out);
	return status;
}
