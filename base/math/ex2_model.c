/* ex2_model.c - bit-exact model of MUFU.EX2 on NVIDIA Hopper (sm_90), in C99, integers only.
 *
 *   float ex2_approx(float x)         PTX ex2.approx.ftz.f32  (SASS MUFU.EX2)
 *   float ex2_approx_noftz(float x)   PTX ex2.approx.f32      (SASS MUFU.EX2 with pre/post scaling)
 *
 * Datapath (found by measurements on an H200, see doc/numerics.md):
 *   |x| is truncated to 23 fraction bits: |x| ~ N.F.
 *     x > 0:            n = N, f = F
 *     x < 0 and F = 0:  n = -N, f = 0
 *     x < 0 and F != 0: n = -N-1, f = ones' complement of F (not two's complement: 2^-23 too low)
 *   f = s.xl: s = top 6 bits, xl = low 17 bits.
 *   S = C0[s]*2^13 + C1[s]*xl + C2[s]*Q(xl) + 6114     (unit 2^-15 ulp of the 24-bit mantissa)
 *   Q(xl) = xl^2 without the partial-product columns of weight 2^18 and below, over 2^19.
 *   mantissa = S >> 15 (24 bits with the hidden bit), exponent = n.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifndef EX2_FN            /* for CUDA, define as static __host__ __device__ */
#define EX2_FN
#endif
#ifndef EX2_TABLE         /* for CUDA, define as static __device__ const */
#define EX2_TABLE static const
#endif

/* C0: 26 bits (ulp/4), C1: 16 bits (2^-15 ulp per 2^-23), C2: 10 bits */
EX2_TABLE uint32_t ex2_tab[64][3] = {
    {33554435,22713,494}, {33919818,22960,501}, {34289182,23210,506}, {34662565,23463,511},
    {35040018,23718,518}, {35421577,23977,521}, {35807292,24238,527}, {36197209,24502,532},
    {36591372,24768,541}, {36989825,25038,546}, {37392616,25311,551}, {37799797,25586,559},
    {38211409,25865,564}, {38627504,26147,568}, {39048131,26431,577}, {39473337,26719,583},
    {39903173,27010,589}, {40337690,27304,596}, {40776937,27602,600}, {41220970,27902,609},
    {41669836,28206,615}, {42123592,28513,622}, {42582286,28824,627}, {43045977,29138,633},
    {43514717,29455,641}, {43988561,29776,647}, {44467565,30100,655}, {44951786,30428,661},
    {45441278,30759,670}, {45936101,31094,677}, {46436314,31432,686}, {46941971,31775,691},
    {47453135,32121,699}, {47969867,32471,705}, {48492225,32824,715}, {49020269,33182,721},
    {49554065,33543,730}, {50093674,33908,739}, {50639159,34277,748}, {51190582,34651,753},
    {51748011,35028,763}, {52311510,35409,773}, {52881146,35795,779}, {53456983,36185,787},
    {54039091,36579,796}, {54627538,36977,806}, {55222393,37380,813}, {55823725,37787,822},
    {56431607,38198,833}, {57046106,38614,842}, {57667297,39035,849}, {58295254,39460,858},
    {58930048,39889,870}, {59571754,40324,877}, {60220447,40763,887}, {60876205,41207,896},
    {61539104,41655,909}, {62209220,42109,917}, {62886634,42568,925}, {63571424,43031,938},
    {64263672,43500,946}, {64963458,43973,959}, {65670863,44452,969}, {66385972,44936,980},
};

/* Truncated squarer: only columns 2^19 and up of the folded 17-bit square, divided by 2^19. */
EX2_FN uint32_t ex2_sq17(uint32_t xl)
{
    uint32_t h = xl >> 9, q = (h * h) >> 1;  /* bits 9..16: all columns but bit 9 squared, 2^18 */
    q += (0u - (xl >> 8 & 1)) & (xl >> 10);  /* bit k < 9 is multiplied by bits 18-k and up only */
    q += (0u - (xl >> 7 & 1)) & (xl >> 11);
    q += (0u - (xl >> 6 & 1)) & (xl >> 12);
    q += (0u - (xl >> 5 & 1)) & (xl >> 13);
    q += (0u - (xl >> 4 & 1)) & (xl >> 14);
    q += (0u - (xl >> 3 & 1)) & (xl >> 15);
    q += (0u - (xl >> 2 & 1)) & (xl >> 16);
    return q;
}

/* The 24-bit mantissa (0x800000..0xffffff) of 2^(f*2^-23), for a 23-bit fraction f. */
EX2_FN uint32_t ex2_mant(uint32_t f)
{
    uint32_t s = f >> 17, xl = f & 0x1ffffu;
    uint64_t S = ((uint64_t)ex2_tab[s][0] << 13) + (uint64_t)ex2_tab[s][1] * xl
               + (uint64_t)ex2_tab[s][2] * ex2_sq17(xl) + 6114u;
    return (uint32_t)(S >> 15);
}

/* ex2.approx.ftz.f32 on the bits of x; returns the bits of the result. */
EX2_FN uint32_t ex2_bits(uint32_t u)
{
    uint32_t a = u & 0x7fffffffu, e = a >> 23, neg = u >> 31, m, t, f;
    int32_t n;
    if (a > 0x7f800000u) return 0x7fffffffu;                 /* NaN -> canonical NaN */
    if (e >= 134) return neg ? 0u : 0x7f800000u;             /* |x| >= 128, infinities too */
    if (e < 104) return 0x3f800000u;                         /* |x| < 2^-23, zeros too: F = 0 */
    m = (a & 0x7fffffu) | 0x800000u;                         /* |x| = m * 2^(e-150) */
    t = e >= 127 ? m << (e - 127) : m >> (127 - e);          /* N.F, 7.23 */
    n = (int32_t)(t >> 23); f = t & 0x7fffffu;
    if (neg) { n = -n; if (f) { n--; f ^= 0x7fffffu; } }
    if (n < -126) return 0u;                                 /* subnormal results are flushed */
    return ((uint32_t)(n + 126) << 23) + ex2_mant(f);        /* the hidden bit adds 1 to n + 126 */
}

#ifndef EX2_NO_FLOAT
EX2_FN float ex2_approx(float x)
{
    uint32_t u; float r;
    memcpy(&u, &x, 4); u = ex2_bits(u); memcpy(&r, &u, 4);
    return r;
}

/* ex2.approx.f32: for x < -126, x is halved and the result squared, with subnormals enabled. */
EX2_FN float ex2_approx_noftz(float x)
{
    float r;
    if (x < -126.0f) { r = ex2_approx(x * 0.5f); return r * r; }   /* needs FTZ and DAZ off */
    return ex2_approx(x);
}

/* How nvcc 13.0 -arch=sm_90 compiles the CUDA calls (default: no -ftz, no -use_fast_math):
 *   exp2f(x)    default: ex2_approx_noftz(x)
 *               -ftz=true or -use_fast_math: ex2_approx(x)
 *   __expf(x)   default: ex2_approx_noftz(x * 1.4426950216f)
 *               -ftz=true or -use_fast_math: ex2_approx(x * 1.4426950216f)
 *   expf(x)     default: ex2_expf below
 *               -use_fast_math: as __expf there */
EX2_FN float ex2_cuda__expf(float x)
{
    return ex2_approx_noftz(x * 1.44269502162933349609375f);
}
EX2_FN float ex2_cuda__expf_fast(float x) { return ex2_approx(x * 1.44269502162933349609375f); }

/* expf without -use_fast_math and -ftz: a scaled MUFU.EX2. Uses fmaf() of math.h. */
EX2_FN float ex2_expf(float x)
{
    float s = fmaf(x, 0.0057249800302088261f /* 0x3bbb989d */, 0.5f), j, r, p;
    uint32_t u;
    if (!(s > 0.0f)) s = 0.0f; else if (s > 1.0f) s = 1.0f;        /* .sat; NaN -> 0 */
    j = (float)(int)((double)s * 252.0);                           /* fma.rm with 12582913: floor */
    r = fmaf(x, 1.44269502162933349609375f, 126.0f - j);
    r = fmaf(x, 1.925963033500011079e-08f /* 0x32a57060 */, r);
    u = (uint32_t)((int)j + 1) << 23;                              /* 2^(j-126) */
    memcpy(&p, &u, 4);
    return ex2_approx(r) * p;
}
#endif
