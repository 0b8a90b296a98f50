/* math_constants.h - replaces CUDA's header of this name: the float constants, and some double
 * constants. */
#ifndef FLASHTWIN_MATH_CONSTANTS_H
#define FLASHTWIN_MATH_CONSTANTS_H

#define CUDART_INF_F      INFINITY
#define CUDART_NAN_F      __int_as_float(0x7fffffff)
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
#define CUDART_ZERO_F     0.0f
#define CUDART_ONE_F      1.0f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_PIO4_F     0.785398163f
#define CUDART_PIO2_F     1.570796327f
#define CUDART_PI_F       3.141592654f
#define CUDART_L2E_F      1.442695041f
#define CUDART_LN2_F      0.693147181f
#define CUDART_INF        ((double)INFINITY)
#define CUDART_PI         3.1415926535897931e+0
#define CUDART_PIO2       1.5707963267948966e+0
#define CUDART_LN2        6.9314718055994529e-1
#define CUDART_L2E        1.4426950408889634e+0

#endif
