/* model_config.h - the shape of a model, from a Hugging Face config.json.
 *
 * Only what engine/model/llama.c can run passes: what it cannot (biases, scaled RoPE, another activation,
 * tokens that are not bytes) is an error here that names the field, not a wrong result later.
 */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>

#include "base/status.h"

struct model_config {
	int layers, heads, kv_heads, head_dim;
	int hidden, intermediate;
	int vocabulary;                 /* 256: the tokens are bytes */
	int max_positions;
	float rms_norm_eps;
	double rope_theta;
	bool tied;                      /* the head is the embedding */
};

/* `text` is JSON, NUL-terminated; `path` names it in messages. USAGE naming the field and value. */
enum status model_config_parse(const char *path, const char *text, struct model_config *out);

#endif
