/* runtime_attribute.c - attributes of streams, which only concern speed: kept, and given back. */
#include "config.h"

#include "engine/runtime/runtime_state.h"

/* Where a stream keeps the attribute; NULL if streams do not have it. */
static cudaLaunchAttributeValue *find(struct CUstream_st *s, cudaLaunchAttributeID id)
{
	switch (id) {
	case cudaLaunchAttributeAccessPolicyWindow: return &s->attributes[0];
	case cudaLaunchAttributeSynchronizationPolicy: return &s->attributes[1];
	case cudaLaunchAttributePriority: return &s->attributes[2];
	default: return NULL;
	}
}

static cudaError_t set(cudaStream_t handle, cudaLaunchAttributeID id,
		       const cudaLaunchAttributeValue *value)
{
	cudaLaunchAttributeValue *place;
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	place = find(s, id);
	if (!place || !value)
		return cudaErrorInvalidValue;
	*place = *value;
	if (id == cudaLaunchAttributePriority)
		s->priority = value->priority;
	return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
				   const cudaLaunchAttributeValue *value)
{
	return API(set(stream, attr, value));
}

static cudaError_t get(cudaStream_t handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue *out)
{
	const cudaLaunchAttributeValue *place;
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	place = find(s, id);
	if (!place || !out)
		return cudaErrorInvalidValue;
	*out = *place;
	if (id == cudaLaunchAttributePriority)
		out->priority = s->priority;
	else if (id == cudaLaunchAttributeSynchronizationPolicy && out->syncPolicy == 0)
		out->syncPolicy = cudaSyncPolicyAuto;
	return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
				   cudaLaunchAttributeValue *value)
{
	return API(get(stream, attr, value));
}

static cudaError_t copy(cudaStream_t to, cudaStream_t from)
{
	struct CUstream_st *a, *b;

	TRY_CUDA(runtime_stream(to, &a));
	TRY_CUDA(runtime_stream(from, &b));
	for (size_t i = 0; i < sizeof a->attributes / sizeof a->attributes[0]; i++)
		a->attributes[i] = b->attributes[i];
	return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
	return API(copy(dst, src));
}
