/* tensor_list.h - the floating-point instructions of tensor cores that kernels can use: mma.sync of
 * 16 x k and k x 8 matrices.
 *
 * X(id, needs, shape, d, a, b, D, A, B, k, registers): D = A B + C, with C in the format of D.
 * needs: SM80, or SM89 for fp8. A lane has `registers` of B and twice as many of A, and four of D,
 * or two in f16. Used by sim/cuda/tensor.h and kernels/matrix_list.h.
 */
#ifndef SIM_TENSOR_LIST_H
#define SIM_TENSOR_LIST_H

#define TENSOR_LIST(X) \
	X(f32_f16_k8, SM80, "m16n8k8", "f32", "f16", "f16", F32, F16, F16, 8, 1) \
	X(f32_f16_k16, SM80, "m16n8k16", "f32", "f16", "f16", F32, F16, F16, 16, 2) \
	X(f16_f16_k8, SM80, "m16n8k8", "f16", "f16", "f16", F16, F16, F16, 8, 1) \
	X(f16_f16_k16, SM80, "m16n8k16", "f16", "f16", "f16", F16, F16, F16, 16, 2) \
	X(f32_bf16_k8, SM80, "m16n8k8", "f32", "bf16", "bf16", F32, BF16, BF16, 8, 1) \
	X(f32_bf16_k16, SM80, "m16n8k16", "f32", "bf16", "bf16", F32, BF16, BF16, 16, 2) \
	X(f32_tf32_k4, SM80, "m16n8k4", "f32", "tf32", "tf32", F32, TF32, TF32, 4, 1) \
	X(f32_tf32_k8, SM80, "m16n8k8", "f32", "tf32", "tf32", F32, TF32, TF32, 8, 2) \
	TENSOR_FP8_LIST(X, e4m3_e4m3, "e4m3", "e4m3", E4M3, E4M3) \
	TENSOR_FP8_LIST(X, e4m3_e5m2, "e4m3", "e5m2", E4M3, E5M2) \
	TENSOR_FP8_LIST(X, e5m2_e4m3, "e5m2", "e4m3", E5M2, E4M3) \
	TENSOR_FP8_LIST(X, e5m2_e5m2, "e5m2", "e5m2", E5M2, E5M2)
#define TENSOR_FP8_LIST(X, id, a, b, A, B) \
	X(f32_##id##_k16, SM89, "m16n8k16", "f32", a, b, F32, A, B, 16, 1) \
	X(f32_##id##_k32, SM89, "m16n8k32", "f32", a, b, F32, A, B, 32, 2) \
	X(f16_##id##_k16, SM89, "m16n8k16", "f16", a, b, F16, A, B, 16, 1) \
	X(f16_##id##_k32, SM89, "m16n8k32", "f16", a, b, F16, A, B, 32, 2)

#endif
