/* llama.h - a Llama model on the CPU: everything of a decode step but attention.
 *
 * Plain f32 C over the weights of a Hugging Face model directory (config.json, model.safetensors),
 * in a fixed order of operations, so that equal inputs give equal bits. Attention is a callback:
 * the caller decides what appends the keys and attends (engine/attention/path.h on a device, or plain C in a
 * test). Keeps no sequence state: the caller passes each token with its position.
 */
#ifndef LLAMA_H
#define LLAMA_H

#include <stdbool.h>

#include "base/status.h"
#include "engine/model/model_config.h"

struct llama;

/* Appends k and v [slots, kv_heads, head_dim] to the caller's cache and writes the attention of q
 * [slots, heads, head_dim] to out, of the same shape. q and k are rotated. Rows of slots that are
 * done hold nothing of use, and what out holds there is ignored. */
typedef enum status llama_attend_fn(void *context, int layer, const float *q, const float *k,
				    const float *v, float *out);

/* Loads DIR/config.json and DIR/model.safetensors. IO or USAGE with the file and what is wrong. */
enum status llama_open(const char *directory, struct llama **out);
void llama_close(struct llama *);               /* NULL is fine */

const struct model_config *llama_config(const struct llama *);
const char *llama_config_text(const struct llama *);    /* config.json as read */

/* One position of one or more sequences. tokens and positions are [slots]: the token fed in, 0 to
 * vocabulary - 1, and its place, 0 to max_positions - 1. done is [slots] or NULL. logits is [slots,
 * vocabulary]; rows of slots that are done are left alone. USAGE for a token or position out of
 * range, else the callback's errors. */
enum status llama_forward(const struct llama *, int slots, const int *tokens, const int *positions,
			  const bool *done, llama_attend_fn *attend, void *context, float *logits);

/* `count` positions of one sequence that follow each other, first, first + 1, ... The callback
 * gets one row per position and attends causally. logits is [vocabulary], of the last position.
 * Errors as llama_forward(); bit for bit what llama_forward() computes for the same attention. */
enum status llama_prefill(const struct llama *, int count, const int *tokens, int first,
			  llama_attend_fn *attend, void *context, float *logits);

#endif
