/* llama.h - a Llama model on the CPU: everything of a decode step but attention.
 *
 * Plain f32 C over the weights of a Hugging Face model directory (config.json, model.safetensors),
 * in a fixed order of operations, so that equal inputs give equal bits. Attention is a callback
 * that appends the keys and attends: engine/attention/path.h on a device, or plain C in a test.
 * Keeps no sequence state: the caller passes each token with its position.
 */
#ifndef LLAMA_H
#define LLAMA_H

#include <stdbool.h>

#include "base/status.h"
#include "engine/model/model_config.h"

struct llama;

/* Appends k and v [slots, kv_heads, head_dim] to the caller's cache and writes the attention of q
 * [slots, heads, head_dim] to out, of the same shape. q and k are rotated. Rows of slots that are
 * done are undefined, and their rows of out are ignored. */
typedef enum status llama_attend_fn(void *context, int layer, const float *q, const float *k,
				    const float *v, float *out);

/* Loads DIR/config.json and DIR/model.safetensors. IO or USAGE with the file and the reason. */
enum status llama_open(const char *directory, struct llama **out);
void llama_close(struct llama *);               /* NULL is allowed */

const struct model_config *llama_config(const struct llama *);
const char *llama_config_text(const struct llama *);    /* config.json as read */

/* Runs one position of one or more sequences. tokens and positions are [slots]: the input token, 0
 * to vocabulary - 1, and its position, 0 to max_positions - 1. done is [slots] or NULL. logits is
 * [slots, vocabulary]; rows of slots that are done are not written. USAGE for a token or position
 * out of range, else the callback's errors. */
enum status llama_forward(const struct llama *, int slots, const int *tokens, const int *positions,
			  const bool *done, llama_attend_fn *attend, void *context, float *logits);

/* Runs `count` consecutive positions of one sequence, from `first` on. The callback gets one row
 * per position and attends causally. logits is [vocabulary], of the last position. Errors as
 * llama_forward(). If the attention is the same, the bits are those of llama_forward(). */
enum status llama_prefill(const struct llama *, int count, const int *tokens, int first,
			  llama_attend_fn *attend, void *context, float *logits);

#endif
