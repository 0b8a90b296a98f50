/* assert.h - keeps the assert() of device code (sim/cuda/cuda_c.h), which the C library's would
 * replace. */
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
