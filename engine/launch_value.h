/* launch_value.h - the value of a launch's argument as functions of the kernel table see it.
 *
 * Used by the recorder, and by the replay of single launches.
 */
#ifndef LAUNCH_VALUE_H
#define LAUNCH_VALUE_H

#include "engine/device.h"

static inline struct kernel_value launch_value(const struct arg *arg)
{
	switch (arg->kind) {
	case PARAM_I32: return (struct kernel_value){ arg->value.i32, arg->value.i32 };
	case PARAM_U32: return (struct kernel_value){ arg->value.u32, arg->value.u32 };
	case PARAM_I64: return (struct kernel_value){ arg->value.i64, (double)arg->value.i64 };
	case PARAM_U64:
		return (struct kernel_value){ (int64_t)arg->value.u64, (double)arg->value.u64 };
	case PARAM_F32: return (struct kernel_value){ 0, arg->value.f32 };
	case PARAM_F64: return (struct kernel_value){ 0, arg->value.f64 };
	case PARAM_POINTER:
		return (struct kernel_value){
			arg->buffer ? (int64_t)(arg->buffer->bytes - arg->offset) : 0, 0.0
		};
	case PARAM_BLOB: break;
	}
	return (struct kernel_value){ 0, 0.0 };
}

#endif
