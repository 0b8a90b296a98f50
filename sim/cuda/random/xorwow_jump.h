/* xorwow_jump.h - skips ahead in cuRAND's XORWOW generator; the table is computed, not measured.
 *
 * A step is a linear map of 160 bits with the characteristic polynomial P. n steps are the map's
 * polynomial x^n mod P, which is applied to the bits in 160 steps. A polynomial is three words, the
 * coefficient of x^0 in the lowest bit. A subsequence begins 2^67 steps after the one before.
 */
#ifndef SIM_XORWOW_JUMP_H
#define SIM_XORWOW_JUMP_H

#include <stdint.h>
#include <string.h>

struct ft_xorwow_polynomial { uint64_t low, middle, high; };

/* P without its term x^160. */
static const ft_xorwow_polynomial ft_xorwow_modulus =
	{ 0x0861003000060001, 0x0f3c003500062121, 0x00000f0e };

/* x^(2^(67 + k)) mod P, for k from 0. */
static const ft_xorwow_polynomial ft_xorwow_subsequences[64] = {
	{ 0x77bbc24826294934, 0x930052d41a87dad0, 0x947e6dd2 },
	{ 0x95e20ba65f39c379, 0x1244ce5e20e9ff72, 0xe8fd228f },
	{ 0x37c549e0a7474d19, 0x24c43924140877d2, 0xcd52ebec },
	{ 0xb1c96c24e0360ec5, 0x666ff5dcdbb91766, 0xf19a7e52 },
	{ 0x35aa698afcc8f692, 0x448304b004ebbf85, 0x082f3fd5 },
	{ 0xe851cf9848c289bd, 0xfd70752a845ad581, 0x2c3e63f6 },
	{ 0x77859d31e502f5b3, 0xea09047a97e1cbb3, 0x61d5f37e },
	{ 0x5a8655a9b89326d0, 0x02102162fb6e98f5, 0x7e6fcf6f },
	{ 0xc6df3330b3a15db4, 0xf1e4b2211a8be751, 0x6bb61c05 },
	{ 0x361e4422133de1d0, 0xd9719f45c6131fcf, 0x9658a164 },
	{ 0xf897421819e2bee8, 0xa25703364e65536a, 0xe9b88082 },
	{ 0x2a21ce847863644b, 0xed01ce0e112e86f1, 0xba143e84 },
	{ 0xd10112790e2cae2e, 0x2bf650ba58923768, 0xc985bcda },
	{ 0x6596b510213a286a, 0x38a135476fc10eae, 0x11c7749e },
	{ 0xa45b4452146281e7, 0x74a0ac94afa8c695, 0x4b250e0a },
	{ 0x790f3b4c2306bc52, 0xbc81d7c02fe473b9, 0x093efe98 },
	{ 0xf391431589658c8b, 0x3c5fadb6a73fe84b, 0xadba8dd6 },
	{ 0x09caf5ed09e49814, 0x1b9981c16b2460d9, 0x2d1fefc3 },
	{ 0x9bb13c5582161afc, 0x306d90b9fd20d7fb, 0x92bf386f },
	{ 0x0e08186496d32350, 0xe7faecf569faa798, 0xf1f951be },
	{ 0x71da97053e9058c1, 0x73456536e2cb1f2b, 0xbd6501b6 },
	{ 0xbfdd1b5d990ffc6e, 0xe972936ac83e520b, 0xac79abb9 },
	{ 0xb06d01a2b1321eb5, 0x8fb5996251532012, 0x141d3b0b },
	{ 0xd8a3d6013257dfe1, 0x845f36e43a58c735, 0x0112c611 },
	{ 0xf57be00ea0ffe9a4, 0x191211efe706880c, 0xee5664fb },
	{ 0xc540c30a9a3385b8, 0x00626569b241d1e0, 0x6b355fe9 },
	{ 0xac3e698be129d45d, 0x7a72a28bd61f79fd, 0x7f4942be },
	{ 0xae7b767d612501bb, 0x09bfaf8eaa66c165, 0x3e55c16d },
	{ 0x33bc5a47874e26a7, 0x67651c39ad95cba5, 0xf1f07dca },
	{ 0x30e7a573b5ed0732, 0x2304f8fa5c056714, 0xebc584e1 },
	{ 0x2bdcc5a04b324c2e, 0xcac4fbc153eb4240, 0x13e529e7 },
	{ 0xa2339994e1683e38, 0xc7c3f0b17308a647, 0x4a3dcd33 },
	{ 0xd77445c35fe4b704, 0x6720fc6db80eeb3c, 0x7da33f71 },
	{ 0x435bf5e0ea0715d2, 0x2bf151748b125b82, 0x451636c0 },
	{ 0x55a8b8bb27786b0d, 0x548172a6ad73d087, 0xb8dcb607 },
	{ 0x9333668eedbc74ac, 0x139bc1735330ec7e, 0x8df22694 },
	{ 0xe081adcc1e9372dd, 0x0ad599e4f9650df2, 0x21aeba83 },
	{ 0x02bd032f81e94b95, 0x7cf446d14241ada2, 0x585759bb },
	{ 0x2663dad8552ec26f, 0x538f9e9b25bf8d5e, 0x804bfd4c },
	{ 0x7cc53d77aed86880, 0x66b5ba472379080d, 0x271e9c90 },
	{ 0x454415efab750c90, 0xd23c81bed94a347c, 0x551c7096 },
	{ 0x9b3a9b083024c55f, 0x3019557dcef11c55, 0x08303d6d },
	{ 0xc1fd8153bc6d2665, 0xd70344ccd43c38c9, 0x279357c0 },
	{ 0xda26a2f1685d57df, 0xe55bf1f15174006a, 0x5f20a739 },
	{ 0x3925e5e888aced61, 0xefa299b1c8af3caa, 0xbc1538f8 },
	{ 0xf25d1aba2b0ca967, 0x683d05904062850b, 0xabd1b043 },
	{ 0x11a68894c3051a0a, 0xb9e1af760ec32c75, 0x45d20f13 },
	{ 0xc68fea4bbd2198a4, 0x2b15c9cf09de877e, 0x7b2e8734 },
	{ 0xcf7989d854f062f0, 0x17d83e81443e496b, 0xa2be8639 },
	{ 0x569129736cb408db, 0x21fbfabcebc71d0f, 0xf266d5dc },
	{ 0x14dfd913267af43c, 0x227b1a062dbb25b6, 0x24402bc6 },
	{ 0x4e3cf79bac63df96, 0x1a5771cfe20e3c11, 0xc0e37c49 },
	{ 0x7cfa6a50ad66cdfe, 0x7b18f04b8fca746a, 0x28eeb28f },
	{ 0xf7192531ef049d6f, 0x1ea75f09abc5f1de, 0x3be64a78 },
	{ 0x7735fb0337abb017, 0x520ea993557fb7cd, 0x69e4a18d },
	{ 0x9fb2f16fc83c8e40, 0x401ffac4f95170a2, 0x6b70bfeb },
	{ 0x0dfb37a953140fdd, 0x20be07e388772b05, 0x128c07bd },
	{ 0x9f52cccd5df0aeb5, 0x06935a9c0e8b1551, 0x648b1463 },
	{ 0x829ca1d21e72e926, 0xcea065e7084c2bd7, 0xd2b401bf },
	{ 0xd9a6c1c60b97fcd4, 0x0cc8d909705a959a, 0xe38aca23 },
	{ 0x97c7960e93d21898, 0xd528a53db2899f9d, 0x04f33fca },
	{ 0xc18f6e560942240e, 0x61c8179b9551c4dd, 0xead20f15 },
	{ 0x4a7295af06e1a24f, 0x452ec8f15534bfe6, 0x79685920 },
	{ 0x2de5181ca0bcccfe, 0xaf27908d33c9d258, 0xcfd04995 },
};

#ifdef FLASHTWIN_CHECK
#define FT_JUMP_FN static __attribute__((unused, noinline, FT_UNCHECKED))
#define FT_JUMP_INLINE static inline __attribute__((always_inline, unused, FT_UNCHECKED))
#else
#define FT_JUMP_FN static __attribute__((unused, noinline))
#define FT_JUMP_INLINE static inline
#endif

/* a * x mod P */
FT_JUMP_INLINE void ft_xorwow_shift(ft_xorwow_polynomial *a)
{
	uint64_t carry = -(a->high >> 31 & 1);

	a->high = (uint32_t)(a->high << 1 | a->middle >> 63) ^ (carry & ft_xorwow_modulus.high);
	a->middle = (a->middle << 1 | a->low >> 63) ^ (carry & ft_xorwow_modulus.middle);
	a->low = a->low << 1 ^ (carry & ft_xorwow_modulus.low);
}

FT_JUMP_INLINE unsigned ft_xorwow_bit(const ft_xorwow_polynomial *a, int i)
{
	return (i < 64 ? a->low >> i : i < 128 ? a->middle >> (i - 64) : a->high >> (i - 128)) & 1;
}

/* a * b mod P */
FT_JUMP_FN void ft_xorwow_multiply(ft_xorwow_polynomial *a, const ft_xorwow_polynomial *b)
{
	ft_xorwow_polynomial factor = *a, product = { 0, 0, 0 };

	for (int i = 159; i >= 0; i--) {
		uint64_t taken = -(uint64_t)ft_xorwow_bit(b, i);

		ft_xorwow_shift(&product);
		product.low ^= taken & factor.low;
		product.middle ^= taken & factor.middle;
		product.high ^= taken & factor.high;
	}
	*a = product;
}

FT_JUMP_INLINE void ft_xorwow_step(unsigned *v)
{
	unsigned t = v[0] ^ v[0] >> 2, last = v[4];

	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = last;
	v[4] = last ^ last << 4 ^ t ^ t << 1;
}

FT_JUMP_FN void ft_xorwow_apply(const ft_xorwow_polynomial *a, unsigned *v)
{
	unsigned sum[5] = { 0 };

	for (int i = 0; i < 160; i++) {
		unsigned taken = -ft_xorwow_bit(a, i);

		for (int k = 0; k < 5; k++)
			sum[k] ^= taken & v[k];
		ft_xorwow_step(v);
	}
	for (int k = 0; k < 5; k++)
		v[k] = sum[k];
}

FT_JUMP_FN void ft_xorwow_skip(unsigned long long steps, unsigned *v)
{
	ft_xorwow_polynomial power = { 1, 0, 0 };

	for (int i = 63; i >= 0; i--) {
		ft_xorwow_polynomial half = power;

		if (steps >> i > 1)
			ft_xorwow_multiply(&power, &half);
		if (steps >> i & 1)
			ft_xorwow_shift(&power);
	}
	if (steps)
		ft_xorwow_apply(&power, v);
}

FT_JUMP_FN void ft_xorwow_skip_subsequences(unsigned long long count, unsigned *v)
{
	ft_xorwow_polynomial power = { 1, 0, 0 };

	for (int k = 0; count >> k; k++) {
		if (count >> k & 1)
			ft_xorwow_multiply(&power, &ft_xorwow_subsequences[k]);
		if (k == 63)
			break;
	}
	if (count)
		ft_xorwow_apply(&power, v);
}

#undef FT_JUMP_FN
#undef FT_JUMP_INLINE

#endif
