#!/bin/sh
# test_float_api.sh - every float function of CUDA is exact in the simulator or does not compile.
#
# Compiles one-line kernels as the build compiles kernels: a function with a model must compile and
# call that model, one without must fail with a message that names an alternative. The names are all
# single-precision functions and intrinsics of CUDA 13.0.
source=${abs_srcdir:-$(cd "$(dirname "$0")/../../.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 99

number=0
result() {
	number=$((number + 1))
	echo "$1 $number - $2"
	[ "$1" = ok ] || sed 's/^/# /' "$work/err"
}

# compile STATEMENT: writes the preprocessed text to $work/out, messages to $work/err.
compile() {
	printf 'void k(float *o, float x, float y, double d, int n)\n{\n\t%s;\n}\n' "$1" \
		>"$work/k.cu"
	${CC-cc} -E -P -x c -std=gnu11 -DFLASHTWIN_SIM -I. -include sim/cuda/cuda_c.h "$work/k.cu" \
		>"$work/out" 2>"$work/err" &&
	${CC-cc} -x cpp-output -std=gnu11 -Wno-unused -fsyntax-only "$work/out" 2>"$work/err"
}

# becomes CALL MODEL: the call compiles, and its preprocessed text contains MODEL.
becomes() {
	if compile "o[0] = $1" && tail -n 4 "$work/out" | grep -qF -- "$2"; then
		result ok "$1 is $2"
	else
		result 'not ok' "$1 is $2"
	fi
}

# refused CALL TEXT: the call does not compile, and a message contains TEXT.
refused() {
	if ! compile "o[0] = $1" && grep -qF -- "$2" "$work/err"; then
		result ok "$1 is refused: $2"
	else
		result 'not ok' "$1 is refused: $2"
	fi
}

# functions without a model: a host function of the same name must not be used instead
for word in cyl_bessel_i0f cyl_bessel_i1f erfcxf j0f j1f jnf lgammaf normf remquof rnormf tgammaf \
	y0f y1f ynf
do
	refused "$word(x)" "$word has no bit-exact model in the simulator: use "
done
refused 'erfcxf(x)' 'use expf(x * x) * (1.0f - erff(x))'

# double-precision functions: the names with a model, of which some have none for a float
for word in exp exp2 exp10 expm1 log log2 log10 log1p sin cos tanh erf rsqrt tan sinpi cospi asin \
	acos atan sinh cosh asinh acosh atanh cbrt rcbrt erfc erfinv erfcinv normcdf normcdfinv
do
	becomes "$word(d)" "ft_double_$word(d)"
	becomes "$word(n)" "ft_double_$word(n)"
done
becomes 'erfcx(d)' 'ft_double_erfcx(d)'
refused 'erfcx(x)' 'erfcxf has no bit-exact model in the simulator: use erfcx of a double'
for word in sinpi cospi asin acos atan sinh cosh tan asinh acosh atanh cbrt rcbrt erfc erfinv erfcinv \
	normcdf normcdfinv
do
	becomes "${word}f(x)" "cuda_${word}f(x)"
	becomes "$word(x)" "cuda_${word}f(x)"
done
for word in atan2 hypot rhypot; do
	becomes "$word(x, d)" "ft_double_$word(x, d)"
	becomes "$word(x, y)" "cuda_${word}f("
	becomes "${word}f(x, y)" "cuda_${word}f("
done
becomes 'norm3df(x, y, x)' 'cuda_norm3df('
becomes 'norm4df(x, y, x, y)' 'cuda_norm4df('
becomes 'rnorm3df(x, y, x)' 'cuda_rnorm3df('
becomes 'rnorm4df(x, y, x, y)' 'cuda_rnorm4df('
becomes '(sincospif(x, o, o + 1), x)' 'ft_sincospif('
becomes 'fdividef(x, y)' '((float)(x) / (float)(y))'
becomes 'scalblnf(x, n)' 'ft_scalblnf('
becomes 'lrintf(x)' 'ft_float_to_llong(rintf(x))'
becomes 'llroundf(x)' 'ft_float_to_llong(roundf(x))'
becomes '__fadd_rd(x, y)' 'FT_ROUND_DOWN'
becomes '__fsub_ru(x, y)' 'FT_ROUND_UP'
becomes '__fmul_rz(x, y)' 'FT_ROUND_ZERO'
becomes '__fdiv_rd(x, y)' 'ft_divide_float('
becomes '__fmaf_rd(x, y, x)' 'ft_add_float('
becomes '__frcp_ru(x)' 'ft_divide_float(1.0,'
becomes '__fsqrt_rz(x)' 'ft_root_float('
becomes '__int2float_rd(n)' 'ft_round_float((int)(n)'
becomes '__uint2float_ru(n)' 'ft_round_float((unsigned)(n)'
becomes 'pow(x, d)' 'ft_double_pow(x, d)'
becomes 'pow(x, n)' 'ft_double_pow(x, n)'
refused '(sincos(d, &d, &d), x)' 'sincos of double has no bit-exact model'
refused 'lgamma(d)' 'lgammaf has no bit-exact model'

becomes 'expf(x)' 'ex2_expf(x)'
becomes 'exp(x)' 'ex2_expf(x)'
becomes 'exp2f(x)' 'ex2_approx_noftz(x)'
becomes 'exp10f(x)' 'cuda_exp10f(x)'
becomes 'expm1f(x)' 'cuda_expm1f(x)'
becomes '__expf(x)' 'ex2_cuda__expf(x)'
becomes '__exp10f(x)' 'ex2_approx_noftz(('
becomes 'logf(x)' 'cuda_logf(x)'
becomes 'log2(x)' 'cuda_log2f(x)'
becomes 'log10f(x)' 'cuda_log10f(x)'
becomes 'log1pf(x)' 'cuda_log1pf(x)'
becomes '__logf(x)' 'cuda__logf(x)'
becomes '__log2f(x)' 'lg2_approx_noftz(x)'
becomes '__log10f(x)' 'cuda__log10f(x)'
becomes 'sinf(x)' 'cuda_sinf(x)'
becomes 'cos(x)' 'cuda_cosf(x)'
becomes '(sincosf(x, o, o + 1), x)' 'ft_sincosf('
becomes '(__sincosf(x, o, o + 1), x)' 'ft_fast_sincosf('
becomes '__sinf(x)' 'sin_approx(x)'
becomes '__cosf(x)' 'cos_approx(x)'
becomes '__tanf(x)' 'ft_fast_tanf(x)'
becomes '__tanhf(x)' 'tanh_approx(x)'
becomes 'tanhf(x)' 'cuda_tanhf(x)'
becomes 'erff(x)' 'cuda_erff(x)'
becomes 'rsqrtf(x)' 'rsqrt_approx_noftz(x)'
becomes 'powf(x, y)' 'cuda_powf('
becomes 'pow(x, y)' 'cuda_powf('
becomes '__powf(x, y)' 'cuda__powf('
becomes '__fdividef(x, y)' 'div_approx_noftz('
becomes '__frcp_rn(x)' '1.0f / '
becomes '__frsqrt_rn(x)' 'ft_frsqrt_rn(x)'
becomes '__saturatef(x)' 'ft_saturatef(x)'
becomes 'fmaxf(x, y)' 'ft_fmaxf('
becomes 'fminf(x, y)' 'ft_fminf('
becomes 'fmax(x, y)' 'ft_fmaxf('

# exact by IEEE 754 or plain arithmetic: unchanged
for call in 'fabsf(x)' 'floorf(x)' 'ceilf(x)' 'truncf(x)' 'rintf(x)' 'nearbyintf(x)' 'roundf(x)' \
	'sqrtf(x)' 'copysignf(x, y)' 'fdimf(x, y)' 'fmodf(x, y)' 'remainderf(x, y)' \
	'nextafterf(x, y)' 'ldexpf(x, n)' 'scalbnf(x, n)' 'logbf(x)' 'ilogbf(x)' 'frexpf(x, &n)' \
	'modff(x, o)' 'fmaf(x, y, x)'
do
	becomes "$call" "$call"
done
becomes 'sqrt(d)' '__builtin_sqrt(d)'
becomes 'abs(x)' 'fabsf(x)'

echo "1..$number"
