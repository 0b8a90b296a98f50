/* matrix.h - tensor-core instructions: all lanes of a warp multiply matrices together. Private to
 * sim/exec. */
#ifndef SIM_MATRIX_H
#define SIM_MATRIX_H

struct warp;

/* Each lane waits with the address of a struct ft_matrix (sim/cuda/runtime.h): fills all d. */
void matrix_multiply(struct warp *);
/* Each lane waits with the address of a struct ft_gather: fills all lists. */
void matrix_gather(struct warp *);

#endif
