/* view_exp.h - exp as kernels compute it, for merges that no point published. */
#ifndef VIEW_EXP_H
#define VIEW_EXP_H

/* What a merge multiplies a chunk by: exp(max - row_max), with the bits of the kernels that merge;
 * 1 if both are equal, even if infinite. */
float view_factor(float max, float row_max);

#endif
