/* matrix.h - PTX's tensor-core instructions, ldmatrix and stmatrix. Part of sim/cuda/ptx.h. */
#ifndef SIM_PTX_MATRIX_H
#define SIM_PTX_MATRIX_H

/* No lane goes on before all have loaded or stored, as on a GPU. That orders no memory: the checker
 * reports what relies on it. */
FT_PTX void ft_ptx_matrix_done(const struct ft_site *site)
{
	struct ft_gather none;

	ft_tensor_rows(site, NULL, &none);
}

#define FT_PTX_MATRIX(suffix, transposed) \
	template <int N> FT_PTX void ft_ptx_ldmatrix##suffix(const struct ft_site *site, \
							     ft_places<N> to, void *row) \
	{ \
		struct ft_gather rows; \
	\
		ft_tensor_rows(site, row, &rows); \
		for (int i = 0; i < N; i++) \
			to.at[i]->put(ft_tensor_load(&rows, i, ft_ptx_lane(), transposed)); \
		ft_ptx_matrix_done(site); \
	} \
	template <int N> FT_PTX void ft_ptx_stmatrix##suffix(const struct ft_site *site, \
							     void *row, ft_values<N> from) \
	{ \
		struct ft_gather rows; \
	\
		ft_tensor_rows(site, row, &rows); \
		for (int i = 0; i < N; i++) \
			ft_tensor_store(&rows, i, ft_ptx_lane(), transposed, \
					from.at[i].template as<unsigned>()); \
		ft_ptx_matrix_done(site); \
	}
FT_PTX_MATRIX(, false)
FT_PTX_MATRIX(_trans, true)
#undef FT_PTX_MATRIX

/* Transposes the 8 x 8 matrix of which each lane gives two neighbours of a row. */
FT_PTX unsigned ft_ptx_movmatrix(const struct ft_site *site, unsigned mine)
{
	const unsigned column = ft_ptx_lane() / 4, first = ft_ptx_lane() % 4 * 2;
	struct ft_gather words;
	unsigned result = 0;

	words.mine = mine;
	ft_collective(site, FT_GATHER, 0xffffffffu, (uintptr_t)&words, 0);
	for (unsigned i = 0; i < 2; i++)
		result |= ((unsigned)words.all[4 * (first + i) + column / 2] >> column % 2 * 16
			   & 0xffff) << 16 * i;
	return result;
}

template <int D, int A, int B>
FT_PTX void ft_ptx_multiply(const struct ft_site *site, struct ft_matrix *m, const ft_places<D> &d,
			    const ft_values<A> &a, const ft_values<B> &b, const ft_values<D> &c)
{
	for (int i = 0; i < A; i++)
		m->a[i] = a.at[i].template as<unsigned>();
	for (int i = 0; i < B; i++)
		m->b[i] = b.at[i].template as<unsigned>();
	for (int i = 0; i < D; i++)
		m->c[i] = c.at[i].template as<unsigned>();
	ft_tensor_multiply(site, m);
	for (int i = 0; i < D; i++)
		d.at[i]->put(m->d[i]);
}

/* k values of the format fill registers of A in pairs of rows, and half as many of B. */
#define FT_PTX_MMA(name, d_format, a_format, b_format, k, saturates, registers_d, registers_b) \
	FT_PTX void ft_ptx_mma_##name(const struct ft_site *site, ft_places<registers_d> d, \
				      ft_values<2 * registers_b> a, ft_values<registers_b> b, \
				      ft_values<registers_d> c) \
	{ \
		struct ft_matrix m = { FT_MATRIX_##a_format, FT_MATRIX_##b_format, \
				       FT_MATRIX_##d_format, k, saturates, {}, {}, {}, {} }; \
	\
		ft_ptx_multiply(site, &m, d, a, b, c); \
	}
FT_PTX_MMA(m16n8k8_f32_f16_f16_f32, F32, F16, F16, 8, 0, 4, 1)
FT_PTX_MMA(m16n8k16_f32_f16_f16_f32, F32, F16, F16, 16, 0, 4, 2)
FT_PTX_MMA(m16n8k8_f16_f16_f16_f16, F16, F16, F16, 8, 0, 2, 1)
FT_PTX_MMA(m16n8k16_f16_f16_f16_f16, F16, F16, F16, 16, 0, 2, 2)
FT_PTX_MMA(m16n8k8_f32_bf16_bf16_f32, F32, BF16, BF16, 8, 0, 4, 1)
FT_PTX_MMA(m16n8k16_f32_bf16_bf16_f32, F32, BF16, BF16, 16, 0, 4, 2)
FT_PTX_MMA(m16n8k4_f32_tf32_tf32_f32, F32, TF32, TF32, 4, 0, 4, 1)
FT_PTX_MMA(m16n8k8_f32_tf32_tf32_f32, F32, TF32, TF32, 8, 0, 4, 2)
#define FT_PTX_MMA8(a, b, A, B) \
	FT_PTX_MMA(m16n8k16_f32_##a##_##b##_f32, F32, A, B, 16, 0, 4, 1) \
	FT_PTX_MMA(m16n8k32_f32_##a##_##b##_f32, F32, A, B, 32, 0, 4, 2) \
	FT_PTX_MMA(m16n8k16_f16_##a##_##b##_f16, F16, A, B, 16, 0, 2, 1) \
	FT_PTX_MMA(m16n8k32_f16_##a##_##b##_f16, F16, A, B, 32, 0, 2, 2)
FT_PTX_MMA8(e4m3, e4m3, E4M3, E4M3)
FT_PTX_MMA8(e4m3, e5m2, E4M3, E5M2)
FT_PTX_MMA8(e5m2, e4m3, E5M2, E4M3)
FT_PTX_MMA8(e5m2, e5m2, E5M2, E5M2)
#undef FT_PTX_MMA8
#define FT_PTX_MMA8(a, b, A, B) \
	FT_PTX_MMA(m16n8k16_s32_##a##_##b##_s32, S32, A, B, 16, 0, 4, 1) \
	FT_PTX_MMA(m16n8k32_s32_##a##_##b##_s32, S32, A, B, 32, 0, 4, 2) \
	FT_PTX_MMA(m16n8k16_satfinite_s32_##a##_##b##_s32, S32, A, B, 16, 1, 4, 1) \
	FT_PTX_MMA(m16n8k32_satfinite_s32_##a##_##b##_s32, S32, A, B, 32, 1, 4, 2)
FT_PTX_MMA8(s8, s8, S8, S8)
FT_PTX_MMA8(s8, u8, S8, U8)
FT_PTX_MMA8(u8, s8, U8, S8)
FT_PTX_MMA8(u8, u8, U8, U8)
#undef FT_PTX_MMA8
#undef FT_PTX_MMA

#endif
