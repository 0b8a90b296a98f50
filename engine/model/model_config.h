/* model_config.h - the shape of a model, from a Hugging Face config.json.
 *
 * Accepts only models that engine/model/llama.c can run. Anything else (biases, scaled RoPE,
 * another activation, tokens that are not bytes) is an error that names the field. Used by llama.c.
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
	bool tied;                      /* the output head shares the embedding's weights */
};

/* `text` is JSON, NUL-terminated; `path` names it in messages. USAGE naming the field and value. */
enum status model_config_parse(const char *path, const char *text, struct model_config *out);

#endif
