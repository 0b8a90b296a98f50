// copies_boxes.cu - copies and memsets of rows and boxes, between devices and by streams: each into
// memory of known bytes, compared byte for byte with loops of the host. Uses the last device as the
// other one, so that it runs with one device or more.
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "counted.h"

typedef std::vector<unsigned char> bytes;

static int other;               /* a device */
static cudaStream_t stream;

static bytes pattern(size_t count, unsigned seed)
{
	bytes result(count);

	for (size_t i = 0; i < count; i++)
		result[i] = (unsigned char)((i * 2654435761u + seed * 97) >> 11);
	return result;
}

static unsigned char *on_device(int device, const bytes &content)
{
	unsigned char *memory;
	int before;

	cudaGetDevice(&before);
	cudaSetDevice(device);
	cudaMalloc(&memory, content.size());
	cudaMemcpy(memory, content.data(), content.size(), cudaMemcpyHostToDevice);
	cudaSetDevice(before);
	return memory;
}

static bool has(const unsigned char *memory, const bytes &wanted)
{
	bytes found(wanted.size());

	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(found.data(), memory, found.size(), cudaMemcpyDefault));
	return found == wanted;
}

/* Rows of slices: where a box begins in memory, and how far its rows and slices are apart. */
struct place {
	size_t begin, pitch, slice;
};

static void copy_box(bytes &to, place t, const bytes &from, place f, cudaExtent box)
{
	for (size_t z = 0; z < box.depth; z++)
		for (size_t y = 0; y < box.height; y++)
			for (size_t x = 0; x < box.width; x++)
				to[t.begin + z * t.slice + y * t.pitch + x]
					= from[f.begin + z * f.slice + y * f.pitch + x];
}

static void fill_box(bytes &to, place t, int value, cudaExtent box)
{
	for (size_t z = 0; z < box.depth; z++)
		for (size_t y = 0; y < box.height; y++)
			for (size_t x = 0; x < box.width; x++)
				to[t.begin + z * t.slice + y * t.pitch + x] = (unsigned char)value;
}

/* --- bytes in a row --- */

static void peers(void)
{
	bytes a = pattern(1000, 1), b = pattern(1000, 2);
	unsigned char *here = on_device(0, a), *there = on_device(other, b);

	OK(cudaMemcpyPeerAsync(there + 17, other, here + 5, 0, 333, stream));
	OK(cudaStreamSynchronize(stream));
	copy_box(b, { 17, 0, 0 }, a, { 5, 0, 0 }, make_cudaExtent(333, 1, 1));
	CHECK(has(there, b));
	OK(cudaMemcpyPeerAsync(here, 0, there, other, 1000, stream));
	OK(cudaMemcpyPeerAsync(here + 500, 0, there + 100, other, 1, stream));
	OK(cudaStreamSynchronize(stream));
	a = b;
	a[500] = b[100];
	CHECK(has(here, a));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(here, 0, there, 99, 4, stream));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(here, -1, there, other, 4, stream));
	GIVES(cudaErrorInvalidValue, cudaMemcpyPeerAsync(here, 0, there, other, 1001, stream));
	OK(cudaMemcpyPeerAsync(here, 0, there, other, 0, stream));
	CHECK(has(here, a));
	cudaFree(here);
	cudaFree(there);
}

/* --- rows --- */

static void rows(void)
{
	enum { WIDE = 48, NARROW = 40, ROWS = 9 };
	bytes from = pattern(WIDE * ROWS, 3), to = pattern(NARROW * ROWS, 4);
	bytes host = pattern(NARROW * ROWS, 5);
	unsigned char *a = on_device(0, from), *b = on_device(0, to);
	cudaExtent box = make_cudaExtent(29, 6, 1);

	OK(cudaMemcpy2DAsync(b + 3 + 2 * NARROW, NARROW, a + 11 + WIDE, WIDE, 29, 6,
			     cudaMemcpyDeviceToDevice, stream));
	copy_box(to, { 3 + 2 * NARROW, NARROW, 0 }, from, { 11 + WIDE, WIDE, 0 }, box);
	CHECK(has(b, to));
	OK(cudaMemcpy2DAsync(host.data() + 1, NARROW, a, WIDE, 29, 6, cudaMemcpyDeviceToHost,
			     stream));
	OK(cudaStreamSynchronize(stream));
	bytes wanted = pattern(NARROW * ROWS, 5);
	copy_box(wanted, { 1, NARROW, 0 }, from, { 0, WIDE, 0 }, box);
	CHECK(host == wanted);
	OK(cudaMemcpy2DAsync(b, NARROW, host.data() + 7, NARROW, 29, 6, cudaMemcpyHostToDevice,
			     stream));
	copy_box(to, { 0, NARROW, 0 }, host, { 7, NARROW, 0 }, box);
	CHECK(has(b, to));
	GIVES(cudaErrorInvalidPitchValue,
	      cudaMemcpy2DAsync(b, 28, a, WIDE, 29, 6, cudaMemcpyDeviceToDevice, stream));
	GIVES(cudaErrorInvalidMemcpyDirection,
	      cudaMemcpy2DAsync(b, NARROW, a, WIDE, 29, 6, (cudaMemcpyKind)9, stream));
	OK(cudaMemset2DAsync(b + 5, NARROW, 0x1c3, 30, 8, stream));
	fill_box(to, { 5, NARROW, 0 }, 0xc3, make_cudaExtent(30, 8, 1));
	CHECK(has(b, to));
	GIVES(cudaErrorInvalidValue, cudaMemset2DAsync(b, 29, 0, 30, 8, stream));
	OK(cudaMemset2DAsync(b, NARROW, 0, 0, 8, stream));
	OK(cudaMemset2DAsync(b, NARROW, 0, 8, 0, stream));
	CHECK(has(b, to));
	cudaFree(a);
	cudaFree(b);
}

/* --- boxes --- */

enum { PITCH_A = 32, HEIGHT_A = 7, DEPTH_A = 5, PITCH_B = 44, HEIGHT_B = 6, DEPTH_B = 4 };

static size_t byte_at(cudaPos p, size_t pitch, size_t height)
{
	return p.x + p.y * pitch + p.z * pitch * height;
}

template <class Params> static void set_box(Params &p, unsigned char *from, unsigned char *to)
{
	memset(&p, 0, sizeof p);
	p.srcPtr = make_cudaPitchedPtr(from, PITCH_A, PITCH_A, HEIGHT_A);
	p.srcPos = make_cudaPos(4, 2, 1);
	p.dstPtr = make_cudaPitchedPtr(to, PITCH_B, PITCH_B, HEIGHT_B);
	p.dstPos = make_cudaPos(9, 1, 0);
	p.extent = make_cudaExtent(21, 5, 4);
}

static void boxes(void)
{
	bytes from = pattern(PITCH_A * HEIGHT_A * DEPTH_A, 6);
	bytes to = pattern(PITCH_B * HEIGHT_B * DEPTH_B, 7), wanted;
	unsigned char *a = on_device(0, from), *b = on_device(0, to), *far = on_device(other, to);
	cudaMemcpy3DPeerParms peer;
	cudaMemcpy3DParms p;
	place at_from, at_to;

	set_box(p, a, b);
	p.kind = cudaMemcpyDeviceToDevice;
	at_from = { byte_at(p.srcPos, PITCH_A, HEIGHT_A), PITCH_A, PITCH_A * HEIGHT_A };
	at_to = { byte_at(p.dstPos, PITCH_B, HEIGHT_B), PITCH_B, PITCH_B * HEIGHT_B };
	wanted = to;
	copy_box(wanted, at_to, from, at_from, p.extent);
	OK(cudaMemcpy3DAsync(&p, stream));
	CHECK(has(b, wanted));
	p.kind = (cudaMemcpyKind)9;
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy3DAsync(&p, stream));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3DAsync(NULL, stream));
	p.kind = cudaMemcpyDeviceToDevice;
	p.srcPos.x = PITCH_A - 20;              /* 1 byte beyond the row */
	GIVES(cudaErrorInvalidValue, cudaMemcpy3DAsync(&p, stream));
	set_box(p, a, b);
	p.kind = cudaMemcpyDeviceToDevice;
	p.extent.depth = 0;
	OK(cudaMemcpy3DAsync(&p, stream));
	CHECK(has(b, wanted));

	/* From the host, and into it. */
	set_box(p, from.data(), b);
	p.kind = cudaMemcpyHostToDevice;
	p.srcPos = make_cudaPos(0, 0, 0);
	OK(cudaMemcpy3DAsync(&p, stream));
	copy_box(wanted, at_to, from, { 0, PITCH_A, PITCH_A * HEIGHT_A }, p.extent);
	CHECK(has(b, wanted));

	set_box(peer, a, far);
	peer.dstDevice = other;
	OK(cudaMemcpy3DPeer(&peer));
	copy_box(to, at_to, from, at_from, peer.extent);
	CHECK(has(far, to));
	peer.srcPos = make_cudaPos(0, 0, 0);
	peer.dstPos = make_cudaPos(23, 0, 2);
	peer.extent = make_cudaExtent(21, 6, 2);
	OK(cudaMemcpy3DPeerAsync(&peer, stream));
	OK(cudaStreamSynchronize(stream));
	copy_box(to, { byte_at(peer.dstPos, PITCH_B, HEIGHT_B), PITCH_B, PITCH_B * HEIGHT_B }, from,
		 { 0, PITCH_A, PITCH_A * HEIGHT_A }, peer.extent);
	CHECK(has(far, to));
	peer.srcDevice = 99;
	GIVES(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&peer));
	GIVES(cudaErrorInvalidDevice, cudaMemcpy3DPeerAsync(&peer, stream));
	peer.srcDevice = 0;
	peer.srcPtr.ptr = NULL;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3DPeer(&peer));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3DPeerAsync(&peer, stream));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3DPeer(NULL));
	CHECK(has(far, to));
	cudaFree(a);
	cudaFree(b);
	cudaFree(far);
}

static void fills(void)
{
	bytes to = pattern(PITCH_A * HEIGHT_A * DEPTH_A, 8);
	unsigned char *a = on_device(0, to);
	cudaPitchedPtr p = make_cudaPitchedPtr(a, PITCH_A, PITCH_A, HEIGHT_A);

	OK(cudaMemset3D(p, 0x3e, make_cudaExtent(31, 6, 4)));
	fill_box(to, { 0, PITCH_A, PITCH_A * HEIGHT_A }, 0x3e, make_cudaExtent(31, 6, 4));
	CHECK(has(a, to));
	p.ptr = a + PITCH_A + 3;
	OK(cudaMemset3DAsync(p, -1, make_cudaExtent(2, 3, 5), stream));
	fill_box(to, { PITCH_A + 3, PITCH_A, PITCH_A * HEIGHT_A }, 0xff, make_cudaExtent(2, 3, 5));
	CHECK(has(a, to));
	OK(cudaMemset3D(p, 0, make_cudaExtent(0, 3, 5)));
	OK(cudaMemset3DAsync(p, 0, make_cudaExtent(2, 3, 0), stream));
	CHECK(has(a, to));
	p.ptr = a;
	GIVES(cudaErrorInvalidValue, cudaMemset3D(p, 0, make_cudaExtent(PITCH_A + 1, 2, 2)));
	GIVES(cudaErrorInvalidValue,
	      cudaMemset3DAsync(p, 0, make_cudaExtent(8, HEIGHT_A, DEPTH_A + 1), stream));
	CHECK(has(a, to));
	cudaFree(a);
}

int main()
{
	int count;

	cudaGetDeviceCount(&count);
	other = count - 1;
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	peers();
	rows();
	boxes();
	fills();
	OK(cudaStreamDestroy(stream));
	return counted();
}
