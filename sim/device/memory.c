/* memory.c - device memory of a simulated device.
 *
 * Every allocation is a separate mapping between two guard pages, so that a wild pointer usually
 * faults (error 700). Allocations are aligned to 256 bytes, as with cudaMalloc.
 */
#include "config.h"

#include "sim/device/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 256

size_t memory_size(size_t bytes)
{
	return bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t mapped(size_t bytes, size_t page)
{
	return (memory_size(bytes) + page - 1) / page * page;
}

/* Memory that this machine has available; SIZE_MAX if unknown. An allocation is written completely,
 * so using more would make the kernel kill the process. */
static size_t machine_available(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t kilobytes = SIZE_MAX / 1024;
	char line[128];

	if (!file)
		return SIZE_MAX;
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %zu", &kilobytes) == 1)
			break;
	fclose(file);
	return kilobytes * 1024;
}

enum status memory_check(size_t bytes)
{
	/* Do not check small allocations. */
	if (bytes > SIZE_MAX / 2 || (bytes > (64u << 20) && bytes > machine_available()))
		return fail_device(2, "out of memory: %zu bytes requested, %zu available",
				   bytes, machine_available());
	return STATUS_OK;
}

enum status memory_map(size_t bytes, void **out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), inner;
	unsigned char *base;

	inner = mapped(bytes, page);
	base = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return fail_device(2, "out of memory: %zu bytes asked for", bytes);
	if (mprotect(base + page, inner, PROT_READ | PROT_WRITE) != 0) {
		munmap(base, inner + 2 * page);
		return fail_device(2, "out of memory: %zu bytes asked for", bytes);
	}
	*out = base + page + inner - memory_size(bytes);
	return STATUS_OK;
}

void memory_unmap(void *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = mapped(bytes, page);
	unsigned char *base = (unsigned char *)memory + memory_size(bytes) - inner - page;

	munmap(base, inner + 2 * page);
}

void memory_fill(void *memory, unsigned pattern, size_t words)
{
	uint32_t *word = memory;

	for (size_t i = 0; i < words; i++)
		word[i] = pattern;
}
