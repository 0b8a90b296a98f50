/* assert.h - keeps the assert() of device code (sim/cuda/cuda_c.h): the C library's header would
 * redefine it. Host code has the C library's. */
#ifdef FLASHTWIN_HOST
#include_next <assert.h>
#elif !defined(__cplusplus)
#undef static_assert
#define static_assert _Static_assert
#endif
