/* ptx_table.c - the table of PTX instructions; see ptx_table.h.
 *
 * A row has the parts of an instruction that stand between its dots:
 *
 *   mul lo|hi @INT     a part in small letters is one of several, and belongs to the function's
 *                      name; '?' before it: it may be missing; '+': it is not in the name; '-': it
 *                      may be missing and is not in the name, because it is a hint or the default
 *   @INT               a type of this set, which becomes a template argument
 *
 * so that this row is for mul.lo.s32 and others, and calls ft_ptx_mul_lo<int>(). If a row names a
 * function, all its parts only select.
 */
#include "config.h"

#include "sim/cu2c/ptx_table.h"

#include <stdio.h>
#include <string.h>

#define MAX_PARTS 16

struct row { const char *parts, *operands, *function; };

/* --- instructions --- */

#define HINTS "-ca|cg|cs|lu|cv|wb|wt -L1::evict_normal|L1::evict_unchanged|L1::evict_first|" \
	"L1::evict_last|L1::no_allocate -L2::evict_normal|L2::evict_first|L2::evict_last " \
	"-L2::64B|L2::128B|L2::256B -L2::cache_hint "
#define LOAD "-weak -global|const|local " HINTS
#define LOAD_SHARED "-weak shared|shared::cta " HINTS
#define NC "-weak global -ca|cg|cs nc -L1::evict_normal|L1::evict_unchanged|L1::evict_first|" \
	"L1::evict_last|L1::no_allocate -L2::evict_normal|L2::evict_first|L2::evict_last " \
	"-L2::64B|L2::128B|L2::256B -L2::cache_hint "
#define WIDE_SCOPE "+gpu|sys|cluster "
#define COMPARE "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan "
#define SHARED "+shared|shared::cta "
/* The operations that take an address and one value. */
#define ATOMIC(begin, address) \
	{ begin "add @SUM", address "a", NULL }, \
	{ begin "min|max @LONG", address "a", NULL }, \
	{ begin "inc|dec @U32", address "a", NULL }, \
	{ begin "and|or|xor|exch @WORD", address "a", NULL },

static const struct row rows[] = {
	/* integers */
	{ "add|sub @INT", "=aa", NULL },
	{ "add|sub sat s32", "=aa", NULL },
	{ "add|sub cc @INT32", "c=aa", NULL },
	{ "addc|subc ?cc @INT32", "c=aa", NULL },
	{ "mul lo|hi|wide @INT", "=aa", NULL },
	{ "mad lo|hi|wide @INT", "=aaa", NULL },
	{ "mad lo|hi cc @INT32", "c=aaa", NULL },
	{ "madc lo|hi ?cc @INT32", "c=aaa", NULL },
	{ "mul24 lo @INT32", "=aa", NULL },
	{ "mad24 lo @INT32", "=aaa", NULL },
	{ "div|rem|min|max @INT", "=aa", NULL },
	{ "abs|neg @INT", "=a", NULL },
	{ "sad @INT", "=aaa", NULL },
	{ "dp4a @INT32 @INT32", "=aaa", NULL },
	{ "vabsdiff4 u32 u32 u32 add", "=aaa", NULL },

	/* bits */
	{ "and|or|xor @BITS", "=aa", NULL },
	{ "not|cnot @BITS", "=a", NULL },
	{ "shl @BITS", "=aa", NULL },
	{ "shr @SHIFTED", "=aa", NULL },
	{ "shf l|r wrap|clamp b32", "=aaa", NULL },
	{ "lop3 b32", "=aaaa", NULL },
	{ "prmt b32 ?f4e|b4e|rc8|ecl|ecr|rc16", "=aaa", NULL },
	{ "bfe @INT", "=aaa", NULL },
	{ "bfi @BITS", "=aaaa", NULL },
	{ "bfind ?shiftamt @INT", "=a", NULL },
	{ "popc|clz|brev @BITS", "=a", NULL },

	/* floating point */
	{ "add|sub|mul -rn @REAL", "=aa", NULL },
	{ "add|sub|mul -rn sat f32", "=aa", NULL },
	{ "add|sub|mul -rn ftz f32", "=aa", NULL },
	{ "add|sub|mul rz|rm|rp f32", "=aa", NULL },
	{ "add|sub|mul rz ftz f32", "=aa", NULL },
	{ "add -rn @SMALL", "=aa", "ft_ptx_small_add" },
	{ "sub -rn @SMALL", "=aa", "ft_ptx_small_sub" },
	{ "mul -rn @SMALL", "=aa", "ft_ptx_small_mul" },
	{ "fma rn @REAL", "=aaa", NULL },
	{ "fma rn sat f32", "=aaa", NULL },
	{ "fma rn|rz ftz f32", "=aaa", NULL },
	{ "fma rz|rm|rp f32", "=aaa", NULL },
	{ "fma rn @SMALL", "=aaa", "ft_ptx_small_fma_rn" },
	{ "fma rn relu @SMALL", "=aaa", "ft_ptx_small_fma_relu" },
	{ "mad rn @REAL", "=aaa", "ft_ptx_fma" },
	{ "div rn @REAL", "=aa", NULL },
	{ "div approx|full ?ftz f32", "=aa", NULL },
	{ "rcp|sqrt rn @REAL", "=a", NULL },
	{ "rcp|sqrt rn ftz f32", "=a", NULL },
	{ "rcp|sqrt rz|rm|rp f32", "=a", NULL },
	{ "rcp|sqrt|rsqrt|lg2|ex2 approx ?ftz f32", "=a", NULL },
	{ "sin|cos approx -ftz f32", "=a", NULL },
	{ "tanh approx f32", "=a", NULL },
	{ "min|max ?NaN @REAL", "=aa", NULL },
	{ "min|max ftz ?NaN f32", "=aa", NULL },
	{ "min @SMALL", "=aa", "ft_ptx_small_min" },
	{ "max @SMALL", "=aa", "ft_ptx_small_max" },
	{ "min NaN @SMALL", "=aa", "ft_ptx_small_min_NaN" },
	{ "max NaN @SMALL", "=aa", "ft_ptx_small_max_NaN" },
	{ "abs|neg @REAL", "=a", NULL },
	{ "abs @SMALL", "=a", "ft_ptx_small_abs" },
	{ "neg @SMALL", "=a", "ft_ptx_small_neg" },
	{ "copysign @REAL", "=aa", NULL },
	{ "testp finite|infinite|number|notanumber|normal|subnormal @REAL", "=a", NULL },

	/* conversions */
	{ "cvt ?sat @INT8 @INT8", "=a", NULL },
	{ "cvt rn @REAL @INT8", "=a", "ft_ptx_cvt_real" },
	{ "cvt rni|rzi|rmi|rpi -sat @INT8 @REAL", "=a", NULL },
	{ "cvt rni|rzi|rmi|rpi f32 f32", "=a", NULL },
	{ "cvt rni|rzi|rmi|rpi f64 f64", "=a", NULL },
	{ "cvt sat f32 f32", "=a", NULL },
	{ "cvt rn f32 f64", "=a", NULL },
	{ "cvt f64 f32", "=a", NULL },
	{ "cvt rn|rz @HALF f32", "=a", NULL },
	{ "cvt rn|rz @PAIR f32", "=aa", NULL },
	{ "cvt f32 @HALF", "=a", "ft_ptx_cvt_widen" },
	{ "cvt rn @HALF @INT8", "=a", "ft_ptx_cvt_small" },
	{ "cvt rni|rzi|rmi|rpi -sat @INT8 f16", "=a", NULL },
	{ "cvt rna|rn|rz tf32 f32", "=a", NULL },
	{ "cvt rn satfinite @PAIR8 f32", "=aa", "ft_ptx_cvt_narrow" },
	{ "cvt rn satfinite @PAIR8 f16x2", "=a", "ft_ptx_cvt_narrow" },
	{ "cvt rn f16x2 @PAIR8", "=a", "ft_ptx_cvt_halves" },
	{ "cvt pack sat @PACKED s32", "=aa", "ft_ptx_cvt_pack" },
	{ "cvt pack sat @BYTE s32 b32", "=aaa", "ft_ptx_cvt_pack" },

	/* predicates and selection */
	{ "setp " COMPARE "@ANY", "|aa", NULL },
	{ "setp " COMPARE "and|or|xor @ANY", "|aaa", NULL },
	{ "setp " COMPARE "ftz f32", "|aa", NULL },
	{ "selp @ANY", "=aaa", NULL },
	{ "slct @ANY s32", "=aaa", NULL },

	/* moves */
	{ "mov @ANY", "=a", NULL },
	{ "mov pred", "=a", "ft_ptx_mov<bool>" },
	{ "mov @BITS", "={", "ft_ptx_pack" },
	{ "mov @BITS", "}a", "ft_ptx_unpack" },
	{ "cvta to shared -u32|u64", "=a", "ft_ptx_to_shared" },
	{ "cvta shared -u32|u64", "=a", "ft_ptx_from_shared" },
	{ "cvta -to global|local|const|param -u32|u64", "=a", "ft_ptx_mov<uint64_t>" },
	{ "isspacep shared|shared::cta", "=a", "ft_ptx_is_shared" },

	/* memory */
	{ "ld|ldu " LOAD "@ANY", "=mh", "ft_ptx_ld" },
	{ "ld " NC "@ANY", "=mh", "ft_ptx_ld" },
	{ "ld " LOAD_SHARED "@ANY", "=sh", "ft_ptx_ld" },
	{ "ld|ldu " LOAD "v2|v4 @ANY", "}mh", "ft_ptx_ld_vector" },
	{ "ld " NC "v2|v4 @ANY", "}mh", "ft_ptx_ld_vector" },
	{ "ld " LOAD_SHARED "v2|v4 @ANY", "}sh", "ft_ptx_ld_vector" },
	{ "ld volatile -global|local @ANY", "=m", "ft_ptx_ld_volatile" },
	{ "ld volatile " SHARED "@ANY", "=s", "ft_ptx_ld_volatile" },
	{ "ld volatile -global|local v2|v4 @ANY", "}m", "ft_ptx_ld_volatile_vector" },
	{ "ld volatile " SHARED "v2|v4 @ANY", "}s", "ft_ptx_ld_volatile_vector" },
	{ "ld relaxed " "cta -global @ANY", "=m", "ft_ptx_ld_relaxed" },
	{ "ld relaxed " WIDE_SCOPE "-global " HINTS "@ANY", "=mh", "ft_ptx_ld_relaxed" },
	{ "ld relaxed cta|gpu|sys|cluster " SHARED "@ANY", "=s", "ft_ptx_ld_relaxed" },
	{ "ld acquire cta -global @ANY", "=m", "ft_ptx_ld_acquire_cta" },
	{ "ld acquire " WIDE_SCOPE "-global " HINTS "@ANY", "=mh", "ft_ptx_ld_acquire" },
	{ "ld acquire cta|gpu|sys|cluster " SHARED "@ANY", "=s", "ft_ptx_ld_acquire_cta" },
	{ "st " LOAD "@ANY", "mah", "ft_ptx_st" },
	{ "st " LOAD_SHARED "@ANY", "sah", "ft_ptx_st" },
	{ "st " LOAD "v2|v4 @ANY", "m{h", "ft_ptx_st_vector" },
	{ "st " LOAD_SHARED "v2|v4 @ANY", "s{h", "ft_ptx_st_vector" },
	{ "st volatile -global|local @ANY", "ma", "ft_ptx_st_volatile" },
	{ "st volatile " SHARED "@ANY", "sa", "ft_ptx_st_volatile" },
	{ "st volatile -global|local v2|v4 @ANY", "m{", "ft_ptx_st_volatile_vector" },
	{ "st volatile " SHARED "v2|v4 @ANY", "s{", "ft_ptx_st_volatile_vector" },
	{ "st relaxed cta -global @ANY", "ma", "ft_ptx_st_relaxed" },
	{ "st relaxed " WIDE_SCOPE "-global " HINTS "@ANY", "mah", "ft_ptx_st_relaxed" },
	{ "st relaxed cta|gpu|sys|cluster " SHARED "@ANY", "sa", "ft_ptx_st_relaxed" },
	{ "st release cta -global @ANY", "ma", "ft_ptx_st_release_cta" },
	{ "st release " WIDE_SCOPE "-global " HINTS "@ANY", "mah", "ft_ptx_st_release" },
	{ "st release cta|gpu|sys|cluster " SHARED "@ANY", "sa", "ft_ptx_st_release_cta" },
	{ "prefetch -global|local L1|L2|L2::evict_last|L2::evict_normal", "m", "ft_ptx_prefetch" },
	{ "prefetchu L1", "m", "ft_ptx_prefetch" },
	{ "createpolicy fractional L2::evict_first|L2::evict_last|L2::evict_normal|"
	  "L2::evict_unchanged -L2::evict_first|L2::evict_unchanged b64", "=.a", NULL },

	/* atomics */
	ATOMIC("atom -relaxed -gpu|sys|cluster -global ", "=m")
	ATOMIC("atom -relaxed cta -global ", "=m")
	ATOMIC("atom -relaxed -cta|gpu|sys|cluster " SHARED, "=s")
	ATOMIC("atom acquire|release|acq_rel " WIDE_SCOPE "-global ", "=m")
	{ "atom -relaxed -gpu|sys|cluster -global cas @WORD", "=maa", NULL },
	{ "atom -relaxed cta -global cas @WORD", "=maa", NULL },
	{ "atom -relaxed -cta|gpu|sys|cluster " SHARED "cas @WORD", "=saa", NULL },
	{ "atom acquire|release|acq_rel " WIDE_SCOPE "-global cas @WORD", "=maa", NULL },
	ATOMIC("red -relaxed -gpu|sys|cluster -global ", "m")
	ATOMIC("red -relaxed cta -global ", "m")
	ATOMIC("red -relaxed -cta|gpu|sys|cluster " SHARED, "s")
	ATOMIC("red release " WIDE_SCOPE "-global ", "m")

	/* order */
	{ "membar cta", "", "ft_ptx_fence_cta" },
	{ "membar gl|sys", "", "ft_ptx_fence" },
	{ "fence -acq_rel|sc cta", "", "ft_ptx_fence_cta" },
	{ "fence -acq_rel|sc gpu|sys|cluster", "", "ft_ptx_fence" },
	{ "bar|barrier -cta sync -aligned", "$z", "ft_ptx_barrier" },
	{ "bar|barrier -cta red -aligned popc u32", "$=za", "ft_ptx_barrier_count" },
	{ "bar|barrier -cta red -aligned and pred", "$=za", "ft_ptx_barrier_and" },
	{ "bar|barrier -cta red -aligned or pred", "$=za", "ft_ptx_barrier_or" },
	{ "bar|barrier -cta sync -aligned", "$a.a", "ft_ptx_named_barrier" },
	{ "bar|barrier -cta arrive -aligned", "$aa", "ft_ptx_named_arrive" },
	{ "bar|barrier -cta red -aligned popc u32", "$=aa.a", "ft_ptx_named_count" },
	{ "bar|barrier -cta red -aligned and pred", "$=aa.a", "ft_ptx_named_and" },
	{ "bar|barrier -cta red -aligned or pred", "$=aa.a", "ft_ptx_named_or" },
	{ "bar warp sync", "$a", NULL },
	{ "nanosleep u32", "a", NULL },

	/* warps */
	{ "shfl sync idx|up|down|bfly b32", "$|aaaa", NULL },
	{ "vote sync all|any|uni pred", "$=aa", NULL },
	{ "vote sync ballot b32", "$=aa", NULL },
	{ "match any sync @BITS", "$=aa", NULL },
	{ "match all sync @BITS", "$|aa", NULL },
	{ "redux sync add|min|max @INT32", "$=aa", NULL },
	{ "redux sync and|or|xor b32", "$=aa", NULL },
	{ "activemask b32", "$=", NULL },

	/* asynchronous copies */
	{ "cp async ca|cg shared|shared::cta global -L2::64B|L2::128B|L2::256B "
	  "-L2::cache_hint", "smah", "ft_ptx_cp_async" },
	{ "cp async ca|cg shared|shared::cta global -L2::64B|L2::128B|L2::256B "
	  "-L2::cache_hint", "smaah", "ft_ptx_cp_async" },
	{ "cp async commit_group", "", NULL },
	{ "cp async wait_group", "a", NULL },
	{ "cp async wait_all", "", NULL },
	{ "cp async bulk +shared::cluster|shared::cta +global +mbarrier::complete_tx::bytes "
	  "-L2::cache_hint", "smash", "ft_ptx_bulk_load" },
	{ "cp async bulk +global +shared::cta +bulk_group -L2::cache_hint", "msah",
	  "ft_ptx_bulk_store" },
	{ "cp async bulk commit_group", "", "ft_bulk_commit" },
	{ "cp async bulk wait_group -read", "a", "ft_bulk_wait" },
	{ "fence proxy async -global|shared::cta|shared::cluster", "", "ft_ptx_nothing" },
	{ "fence mbarrier_init release cluster", "", "ft_ptx_nothing" },
	/* The launch before has ended when a user's kernel begins. */
	{ "griddepcontrol launch_dependents|wait", "", "ft_ptx_nothing" },

	/* barriers in shared memory */
	{ "mbarrier init " SHARED "b64", "sa", "ft_ptx_mbarrier_init" },
	{ "mbarrier inval " SHARED "b64", "s", "ft_ptx_mbarrier_inval" },
	{ "mbarrier arrive -release -cta " SHARED "b64", "=s.a", "ft_ptx_mbarrier_arrive" },
	{ "mbarrier arrive expect_tx -release -cta " SHARED "b64", "=sa",
	  "ft_ptx_mbarrier_arrive_expect" },
	{ "mbarrier expect_tx -relaxed -cta " SHARED "b64", "sa", "ft_ptx_mbarrier_expect" },
	{ "mbarrier test_wait -acquire -cta " SHARED "b64", "$=sa", "ft_ptx_mbarrier_try" },
	{ "mbarrier try_wait -acquire -cta " SHARED "b64", "$=sa.a", "ft_ptx_mbarrier_try" },
	{ "mbarrier test_wait parity -acquire -cta " SHARED "b64", "$=sa",
	  "ft_ptx_mbarrier_try_parity" },
	{ "mbarrier try_wait parity -acquire -cta " SHARED "b64", "$=sa.a",
	  "ft_ptx_mbarrier_try_parity" },
	{ "cp async mbarrier arrive noinc " SHARED "b64", "s", "ft_ptx_mbarrier_arrive_copied" },
	{ "trap", "", NULL },

	/* matrices */
	{ "ldmatrix +sync +aligned +m8n8 +x1|x2|x4 " SHARED "+b16", "$}s", "ft_ptx_ldmatrix" },
	{ "ldmatrix +sync +aligned +m8n8 +x1|x2|x4 trans " SHARED "+b16", "$}s",
	  "ft_ptx_ldmatrix_trans" },
	{ "ldmatrix +sync +aligned +m8n8 +x1|x2|x4 +b16", "$}m", "ft_ptx_ldmatrix" },
	{ "ldmatrix +sync +aligned +m8n8 +x1|x2|x4 trans +b16", "$}m", "ft_ptx_ldmatrix_trans" },
	{ "stmatrix +sync +aligned +m8n8 +x1|x2|x4 " SHARED "+b16", "$s{", "ft_ptx_stmatrix" },
	{ "stmatrix +sync +aligned +m8n8 +x1|x2|x4 trans " SHARED "+b16", "$s{",
	  "ft_ptx_stmatrix_trans" },
	{ "movmatrix +sync +aligned +m8n8 +trans +b16", "$=a", NULL },
	{ "mma +sync +aligned m16n8k8|m16n8k16 +row +col f32 f16 f16 f32", "$}{{{", NULL },
	{ "mma +sync +aligned m16n8k8|m16n8k16 +row +col f16 f16 f16 f16", "$}{{{", NULL },
	{ "mma +sync +aligned m16n8k8|m16n8k16 +row +col f32 bf16 bf16 f32", "$}{{{", NULL },
	{ "mma +sync +aligned m16n8k4|m16n8k8 +row +col f32 tf32 tf32 f32", "$}{{{", NULL },
	{ "mma +sync +aligned m16n8k16|m16n8k32 +row +col f32 e4m3|e5m2 e4m3|e5m2 f32", "$}{{{",
	  NULL },
	{ "mma +sync +aligned m16n8k16|m16n8k32 +row +col f16 e4m3|e5m2 e4m3|e5m2 f16", "$}{{{",
	  NULL },
	{ "mma +sync +aligned m16n8k16|m16n8k32 +row +col ?satfinite s32 s8|u8 s8|u8 s32",
	  "$}{{{", NULL },
};

static const struct { const char *set, *types; } sets[] = {
	{ "INT", "u16|s16|u32|s32|u64|s64" },
	{ "INT8", "u8|s8|u16|s16|u32|s32|u64|s64" },
	{ "INT32", "u32|s32" },
	{ "U32", "u32" },
	{ "LONG", "u32|s32|u64|s64" },
	{ "SUM", "u32|s32|u64|f32|f64" },
	{ "WORD", "b32|b64" },
	{ "BITS", "b16|b32|b64|pred" },
	{ "SHIFTED", "b16|b32|b64|u16|s16|u32|s32|u64|s64" },
	{ "REAL", "f32|f64" },
	{ "SMALL", "f16|f16x2|bf16|bf16x2" },
	{ "HALF", "f16|bf16" },
	{ "PAIR", "f16x2|bf16x2" },
	{ "PAIR8", "e4m3x2|e5m2x2" },
	{ "PACKED", "u16|s16" },
	{ "BYTE", "u8|s8" },
	{ "ANY", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64" },
};

static const struct { const char *ptx, *type; } types[] = {
	{ "b8", "unsigned char" }, { "u8", "unsigned char" }, { "s8", "signed char" },
	{ "b16", "unsigned short" }, { "u16", "unsigned short" }, { "s16", "short" },
	{ "b32", "unsigned" }, { "u32", "unsigned" }, { "s32", "int" },
	{ "b64", "unsigned long long" }, { "u64", "unsigned long long" }, { "s64", "long long" },
	{ "f32", "float" }, { "f64", "double" }, { "pred", "bool" },
	{ "f16", "ft_ptx_f16" }, { "f16x2", "ft_ptx_f16x2" },
	{ "bf16", "ft_ptx_bf16" }, { "bf16x2", "ft_ptx_bf16x2" },
	{ "e4m3x2", "ft_ptx_e4m3x2" }, { "e5m2x2", "ft_ptx_e5m2x2" },
};

/* --- special registers --- */

static const struct { const char *name, *text; } specials[] = {
	{ "%tid.x", "ft_thread_index().x" }, { "%tid.y", "ft_thread_index().y" },
	{ "%tid.z", "ft_thread_index().z" },
	{ "%ntid.x", "ft_block_dim().x" }, { "%ntid.y", "ft_block_dim().y" },
	{ "%ntid.z", "ft_block_dim().z" },
	{ "%ctaid.x", "ft_block_index().x" }, { "%ctaid.y", "ft_block_index().y" },
	{ "%ctaid.z", "ft_block_index().z" },
	{ "%nctaid.x", "ft_grid_dim().x" }, { "%nctaid.y", "ft_grid_dim().y" },
	{ "%nctaid.z", "ft_grid_dim().z" },
	{ "%laneid", "ft_ptx_lane()" }, { "%warpid", "ft_ptx_warp()" },
	{ "%nwarpid", "64u" }, { "%smid", "ft_ptx_multiprocessor()" },
	{ "%lanemask_eq", "(1u << ft_ptx_lane())" },
	{ "%lanemask_lt", "((1u << ft_ptx_lane()) - 1)" },
	{ "%lanemask_le", "((2u << ft_ptx_lane()) - 1)" },
	{ "%lanemask_gt", "~((2u << ft_ptx_lane()) - 1)" },
	{ "%lanemask_ge", "~((1u << ft_ptx_lane()) - 1)" },
	{ "%clock", "(unsigned)ft_clock()" }, { "%clock64", "ft_clock()" },
	{ "%clock_hi", "(unsigned)(ft_clock() >> 32)" }, { "%globaltimer", "ft_clock()" },
	{ "%globaltimer_lo", "(unsigned)ft_clock()" },
};

static bool same(const char *text, int length, const char *name)
{
	return (int)strlen(name) == length && memcmp(text, name, (size_t)length) == 0;
}

const char *ptx_special(const char *name, int length)
{
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (same(name, length, specials[i].name))
			return specials[i].text;
	return NULL;
}

/* --- matching --- */

/* Whether the text is one of "x|y|z". */
static bool is_among(const char *text, int length, const char *list, int list_length)
{
	const char *end = list + list_length;

	while (list < end) {
		const char *bar = memchr(list, '|', (size_t)(end - list));
		int size = (int)((bar ? bar : end) - list);

		if (size == length && memcmp(text, list, (size_t)length) == 0)
			return true;
		list += size + 1;
	}
	return false;
}

static const char *types_of(const char *set, int length)
{
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
		if (same(set, length, sets[i].set))
			return sets[i].types;
	return "";
}

static void add(char *to, size_t size, const char *before, const char *text, int length)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%s%.*s", before, length, text);
}

static void add_type(struct ptx_form *out, const char *text, int length)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (same(text, length, types[i].ptx))
			add(out->types, sizeof out->types, *out->types ? ", " : "", types[i].type,
			    (int)strlen(types[i].type));
	snprintf(out->last_type, sizeof out->last_type, "%.*s", length, text);
}

/* Matches a part of a row with one of the instruction. True if the latter is used up. */
static bool match_part(const char *part, int length, const char *text, int text_length,
		       struct ptx_form *out)
{
	char kind = *part;

	if (kind == '@') {
		const char *list = types_of(part + 1, length - 1);

		if (!is_among(text, text_length, list, (int)strlen(list)))
			return false;
		add_type(out, text, text_length);
		return true;
	}
	if (strchr("?-+", kind)) {
		part++;
		length--;
	}
	if (!is_among(text, text_length, part, length))
		return false;
	if (kind != '-' && kind != '+')
		add(out->name, sizeof out->name, "_", text, text_length);
	return true;
}

/* The parts of an instruction. */
struct parts {
	struct { const char *at; int length; bool used; } list[MAX_PARTS];
	int count, last_type;           /* the last type that was matched */
};

static bool split(const char *text, int length, struct parts *out)
{
	const char *end = text + length;

	*out = (struct parts){ .last_type = -1 };
	while (text < end) {
		const char *dot = memchr(text, '.', (size_t)(end - text));

		if (out->count == MAX_PARTS)
			return false;
		out->list[out->count].at = text;
		out->list[out->count++].length = (int)((dot ? dot : end) - text);
		text = dot ? dot + 1 : end;
	}
	return true;
}

static bool is_type(const char *text, int length)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (same(text, length, types[i].ptx))
			return true;
	return false;
}

/* Matches a part of a row with any part that is left, because assemblers accept qualifiers in any
 * order. Types keep theirs. */
static bool match_any(const char *part, int length, struct parts *parts, struct ptx_form *out)
{
	for (int i = 0; i < parts->count; i++) {
		bool type = is_type(parts->list[i].at, parts->list[i].length);

		if (parts->list[i].used || (type && i < parts->last_type)
		    || !match_part(part, length, parts->list[i].at, parts->list[i].length, out))
			continue;
		parts->list[i].used = true;
		if (type)
			parts->last_type = i;
		return true;
	}
	return *part == '?' || *part == '-';
}

static bool match_parts(const char *row, const char *text, int length, struct ptx_form *out)
{
	struct parts parts;

	strcpy(out->name, "ft_ptx");
	*out->types = *out->last_type = '\0';
	if (!split(text, length, &parts))
		return false;
	for (int size; *row; row += size + strspn(row + size, " ")) {
		size = (int)strcspn(row, " ");
		if (!match_any(row, size, &parts, out))
			return false;
	}
	for (int i = 0; i < parts.count; i++)
		if (!parts.list[i].used)
			return false;
	return true;
}

/* Whether the operands' shapes are those that the row expects, with a cache policy if `hinted`. */
static bool match_shapes(const char *operands, const char *shapes, bool hinted)
{
	bool optional = false;

	for (; *operands; operands++) {
		char expected = strchr("ms", *operands) ? '['
			: strchr("{}", *operands) ? '{' : 'a';

		if (strchr("$c", *operands) || (*operands == 'h' && !hinted))
			continue;
		if (*operands == '.') {
			optional = true;
			continue;
		}
		if (!*shapes)
			return optional;
		if (*shapes != (*operands == 'z' ? '0' : expected)
		    && !(expected == 'a' && *operands != 'z' && *shapes == '0'))
			return false;
		shapes++;
	}
	return !*shapes;
}

/* A C++ name: "shared::cta" has colons. */
static void make_name(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++)
		if (*from != ':' || from[1] == ':')
			*to++ = *from == ':' ? '_' : *from;
	*to = '\0';
}

bool ptx_find(const char *text, int length, const char *shapes, struct ptx_form *out)
{
	const bool hinted = memmem(text, (size_t)length, ".L2::cache_hint", 15) != NULL;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!match_parts(rows[i].parts, text, length, out)
		    || !match_shapes(rows[i].operands, shapes, hinted))
			continue;
		if (rows[i].function)
			snprintf(out->name, sizeof out->name, "%s", rows[i].function);
		make_name(out->name);
		out->operands = rows[i].operands;
		return true;
	}
	return false;
}
