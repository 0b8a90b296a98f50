/* program.c - a program for tests of the runtime; see program.h. */
#include "config.h"

#include "tests/engine/runtime/program.h"

#include <stdint.h>

struct tag tag_copy = { "kv_scatter", NULL }, tag_indices = { "word_indices", NULL },
	tag_store = { "fail_store", NULL }, tag_trap = { "fail_trap", NULL },
	tag_bounded = { "word_bounded", NULL }, tag_static = { "word_static_shared", NULL },
	tag_table = { "word_pointer_table", NULL }, tag_by_value = { "word_by_value", NULL };
int shadow_variable, device_variable[4];

static struct device *devices[2];
static int device_count;

__attribute__((noinline)) static void stub(const void *from, void *to, int words, int most, int at)
{
	void *args[] = { &from, &to, &words, &most, &at };

	ft_stub(args);
	__asm__ volatile("" ::: "memory");
}

/* The stub is shorter than this. */
#define STUB_BYTES 512

static const struct kernel *find_kernel(void *context, const void *func)
{
	static struct tag *const tags[] = { &tag_copy, &tag_indices, &tag_store, &tag_trap,
		&tag_bounded, &tag_static, &tag_table, &tag_by_value };
	uintptr_t at = (uintptr_t)func, begin = (uintptr_t)&stub;

	(void)context;
	if (at >= begin && at < begin + STUB_BYTES)
		return kernel_find("kv_scatter");
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (tags[i] == func)
			return strncmp(tags[i]->kernel, "kv_", 3) == 0
				? kernel_find(tags[i]->kernel) : word_kernel(tags[i]->kernel);
	return NULL;
}

static const struct kernel_variable *find_variable(void *context, const void *shadow)
{
	static const struct kernel_variable variable = {
		.name = "device_variable", .address = device_variable,
		.bytes = sizeof device_variable,
	};

	(void)context;
	return shadow == &shadow_variable ? &variable : NULL;
}

static const struct runtime_program program = {
	.kernel = find_kernel, .variable = find_variable,
};

void program_begin(int count, uint64_t seed)
{
	device_count = count;
	for (int i = 0; i < count; i++)
		OK(device_open("sim", &(struct device_options){ .ordinal = i, .seed = seed },
			       &devices[i]));
	OK(runtime_begin(devices, count, &program));
}

void program_begin_on(struct device *device)
{
	device_count = 1;
	devices[0] = device;
	OK(runtime_begin(devices, 1, &program));
}

enum status program_end(void)
{
	enum status status = runtime_end();

	for (int i = 0; i < device_count; i++)
		device_close(devices[i]);
	return status;
}

struct device *program_device(int ordinal)
{
	return devices[ordinal];
}

cudaError_t copy_words(const void *from, void *to, int words, cudaStream_t stream)
{
	int most = 1, at = 0;
	void *args[] = { &from, &to, &words, &most, &at };

	return cudaLaunchKernel(&tag_copy, (struct dim3){ 1, 1, 1 },
				(struct dim3){ (unsigned)words, 1, 1 }, args, 0, stream);
}

int stub_words(const void *from, void *to, int words, cudaStream_t stream)
{
	int error = ft_configure((struct dim3){ 1, 1, 1 }, (struct dim3){ (unsigned)words, 1, 1 },
				 0, stream);

	if (error == 0)
		stub(from, to, words, 1, 0);
	return error;
}

int *equal_ints(int count, int value)
{
	int *memory;

	CUDA(cudaMalloc((void **)&memory, (size_t)count * sizeof *memory));
	for (int i = 0; i < count; i++)
		CUDA(cudaMemcpy(memory + i, &value, sizeof value, cudaMemcpyHostToDevice));
	return memory;
}

int device_int(const int *memory)
{
	int value;

	CUDA(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

void note_host(void *data)
{
	struct noted *noted = data;

	noted->seen = noted->memory[0];
	noted->calls++;
	noted->nested = cudaDeviceSynchronize();
}
