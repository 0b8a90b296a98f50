/* model_config.c - reads a Hugging Face config.json and rejects models that cannot run.
 *
 * The type and range of every field are checked before its use; see model_config.h.
 */
#include "engine/model/model_config.h"

#include <jansson.h>
#include <string.h>

#define MAX_SIZE (1 << 24)      /* of a dimension: products of two fit well in 64 bits */

/* The file's path, for messages, and its JSON. */
struct reader {
	const char *path;
	const json_t *root;
};

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT: return "an object";
	case JSON_ARRAY: return "an array";
	case JSON_STRING: return "a string";
	case JSON_INTEGER: return "an integer";
	case JSON_REAL: return "a real number";
	case JSON_TRUE: return "true";
	case JSON_FALSE: return "false";
	case JSON_NULL: return "null";
	}
	return "something else";
}

/* The field's value; NULL when it is absent or null. */
static const json_t *field(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_null(value) ? NULL : value;
}

/* Reads a positive integer. If absent: `fallback`, or an error if that is 0. */
static enum status read_size(const struct reader *r, const char *name, int fallback, int *out)
{
	const json_t *value = field(r->root, name);
	json_int_t number = json_integer_value(value);

	if (!value && fallback > 0) {
		*out = fallback;
		return STATUS_OK;
	}
	if (!value)
		return fail(STATUS_USAGE, "%s: %s is missing", r->path, name);
	if (!json_is_integer(value))
		return fail(STATUS_USAGE, "%s: %s: expected a positive integer, got %s", r->path,
			    name, type_name(value));
	if (number < 1 || number > MAX_SIZE)
		return fail(STATUS_USAGE, "%s: %s: expected 1 to %d, got %lld", r->path, name,
			    MAX_SIZE, (long long)number);
	*out = (int)number;
	return STATUS_OK;
}

static enum status read_number(const struct reader *r, const json_t *object, const char *name,
			       double fallback, double *out)
{
	const json_t *value = field(object, name);

	*out = value ? json_number_value(value) : fallback;
	if (value && !json_is_number(value))
		return fail(STATUS_USAGE, "%s: %s: expected a number, got %s", r->path, name,
			    type_name(value));
	if (!(*out > 0.0))
		return fail(STATUS_USAGE, "%s: %s: expected a number above 0, got %g", r->path,
			    name, *out);
	return STATUS_OK;
}

static enum status read_flag(const struct reader *r, const char *name, bool *out)
{
	const json_t *value = field(r->root, name);

	if (value && !json_is_boolean(value))
		return fail(STATUS_USAGE, "%s: %s: expected true or false, got %s", r->path, name,
			    type_name(value));
	*out = json_is_true(value);
	return STATUS_OK;
}

static enum status refuse_flag(const struct reader *r, const char *name)
{
	bool set = false;

	TRY(read_flag(r, name, &set));
	return set ? fail(STATUS_USAGE, "%s: %s: expected false, got true, which is not supported",
			  r->path, name)
		   : STATUS_OK;
}

/* Checks that the field is absent or has the only supported value. */
static enum status require_text(const struct reader *r, const json_t *object, const char *name,
				const char *supported)
{
	const json_t *value = field(object, name);

	if (!value)
		return STATUS_OK;
	if (!json_is_string(value))
		return fail(STATUS_USAGE, "%s: %s: expected \"%s\", got %s", r->path, name,
			    supported, type_name(value));
	if (strcmp(json_string_value(value), supported) != 0)
		return fail(STATUS_USAGE, "%s: %s: expected \"%s\", got \"%s\", which is not "
			    "supported", r->path, name, supported, json_string_value(value));
	return STATUS_OK;
}

/* Reads an object of RoPE settings, under its old or its new name. It may set theta only. */
static enum status read_rope_object(const struct reader *r, const char *name,
				    struct model_config *out)
{
	const json_t *object = field(r->root, name);

	if (!object)
		return STATUS_OK;
	if (!json_is_object(object))
		return fail(STATUS_USAGE, "%s: %s: expected an object, got %s", r->path, name,
			    type_name(object));
	TRY(require_text(r, object, "rope_type", "default"));
	TRY(require_text(r, object, "type", "default"));
	return read_number(r, object, "rope_theta", out->rope_theta, &out->rope_theta);
}

static enum status read_rope(const struct reader *r, struct model_config *out)
{
	double rotary;

	TRY(read_number(r, r->root, "rope_theta", 10000.0, &out->rope_theta));
	TRY(read_rope_object(r, "rope_scaling", out));
	TRY(read_rope_object(r, "rope_parameters", out));
	TRY(read_number(r, r->root, "partial_rotary_factor", 1.0, &rotary));
	if (rotary != 1.0)
		return fail(STATUS_USAGE, "%s: partial_rotary_factor: expected 1, got %g, which is "
			    "not supported", r->path, rotary);
	return STATUS_OK;
}

static enum status read_shape(const struct reader *r, struct model_config *out)
{
	TRY(read_size(r, "hidden_size", 0, &out->hidden));
	TRY(read_size(r, "intermediate_size", 0, &out->intermediate));
	TRY(read_size(r, "num_hidden_layers", 0, &out->layers));
	TRY(read_size(r, "num_attention_heads", 0, &out->heads));
	TRY(read_size(r, "num_key_value_heads", out->heads, &out->kv_heads));
	TRY(read_size(r, "head_dim", out->hidden / out->heads, &out->head_dim));
	TRY(read_size(r, "vocab_size", 0, &out->vocabulary));
	TRY(read_size(r, "max_position_embeddings", 2048, &out->max_positions));
	if (out->heads % out->kv_heads != 0)
		return fail(STATUS_USAGE, "%s: num_attention_heads %d is not a multiple of "
			    "num_key_value_heads %d", r->path, out->heads, out->kv_heads);
	if (out->head_dim % 2 != 0)
		return fail(STATUS_USAGE, "%s: head_dim: expected an even number for RoPE, got %d",
			    r->path, out->head_dim);
	if ((long long)out->heads * out->head_dim > MAX_SIZE)
		return fail(STATUS_USAGE, "%s: %d heads of head_dim %d are too large, the maximum "
			    "product is %d", r->path, out->heads, out->head_dim, MAX_SIZE);
	if (out->vocabulary != 256)
		return fail(STATUS_USAGE, "%s: vocab_size: expected 256 (bytes), got %d, which is "
			    "not supported", r->path, out->vocabulary);
	return STATUS_OK;
}

static enum status read_root(const struct reader *r, struct model_config *out)
{
	double eps;

	if (!json_is_object(r->root))
		return fail(STATUS_USAGE, "%s: expected an object, got %s", r->path,
			    type_name(r->root));
	if (field(r->root, "model_type") == NULL)
		return fail(STATUS_USAGE, "%s: model_type is missing", r->path);
	TRY(require_text(r, r->root, "model_type", "llama"));
	TRY(require_text(r, r->root, "hidden_act", "silu"));
	TRY(refuse_flag(r, "attention_bias"));
	TRY(refuse_flag(r, "mlp_bias"));
	TRY(read_flag(r, "tie_word_embeddings", &out->tied));
	TRY(read_shape(r, out));
	TRY(read_rope(r, out));
	TRY(read_number(r, r->root, "rms_norm_eps", 1e-6, &eps));
	out->rms_norm_eps = (float)eps;
	return STATUS_OK;
}

enum status model_config_parse(const char *path, const char *text, struct model_config *out)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	struct reader reader = { path, root };
	enum status status;

	if (!root)
		return fail(STATUS_USAGE, "%s:%d: not JSON: %s", path, error.line, error.text);
	memset(out, 0, sizeof *out);
	status = read_root(&reader, out);
	json_decref(root);
	return status;
}
