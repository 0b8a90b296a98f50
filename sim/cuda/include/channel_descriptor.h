/* channel_descriptor.h - cudaCreateChannelDesc<T>(); replaces CUDA's header of this name. */
#ifndef FLASHTWIN_CHANNEL_DESCRIPTOR_H
#define FLASHTWIN_CHANNEL_DESCRIPTOR_H

#include "sim/cuda/include/cuda_runtime_api.h"
#include "sim/cuda/vectors.h"

static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
	return cudaCreateChannelDescHalf();
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
	return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
	return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#ifdef __cplusplus
/* Of a type that is not a texel: no channels. */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define FT_CHANNELS(T, bits, two, four, kind) \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() \
	{ \
		return cudaCreateChannelDesc(bits, (two) * (bits), (four) * (bits), \
					     (four) * (bits), cudaChannelFormatKind##kind); \
	}
#define FT_CHANNELS_OF(T, vector, bits, kind) \
	FT_CHANNELS(T, bits, 0, 0, kind) FT_CHANNELS(vector##1, bits, 0, 0, kind) \
	FT_CHANNELS(vector##2, bits, 1, 0, kind) FT_CHANNELS(vector##4, bits, 1, 1, kind)
FT_CHANNELS(signed char, 8, 0, 0, Signed)
FT_CHANNELS_OF(char, char, 8, Signed)
FT_CHANNELS_OF(unsigned char, uchar, 8, Unsigned)
FT_CHANNELS_OF(short, short, 16, Signed)
FT_CHANNELS_OF(unsigned short, ushort, 16, Unsigned)
FT_CHANNELS_OF(int, int, 32, Signed)
FT_CHANNELS_OF(unsigned, uint, 32, Unsigned)
FT_CHANNELS_OF(float, float, 32, Float)
#undef FT_CHANNELS_OF
#undef FT_CHANNELS
#endif
#endif
