/* assert.h - keeps the assert() of device code (sim/cuda/cuda_c.h): the C library's header would
 * redefine it. */
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
