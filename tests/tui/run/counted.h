/* counted.h - what the programs of test_run_calls.sh have in common: they print a line for each
 * check that fails, and how many there were. Plain CUDA, so that nvcc compiles them too. */
#ifndef COUNTED_H
#define COUNTED_H

#include <cstdio>
#include <vector>

static int checks, failed;

static inline void check_at(bool holds, const char *what, int line)
{
	checks++;
	if (holds)
		return;
	failed++;
	printf("line %d: %s\n", line, what);
}

static inline void error_at(cudaError_t wanted, cudaError_t got, const char *what, int line)
{
	checks++;
	cudaGetLastError();
	if (got == wanted)
		return;
	failed++;
	printf("line %d: %s: expected %s, got %s\n", line, what, cudaGetErrorName(wanted),
	       cudaGetErrorName(got));
}

#define CHECK(condition) check_at((condition), #condition, __LINE__)
#define GIVES(error, call) error_at((error), (call), #call, __LINE__)
#define OK(call) GIVES(cudaSuccess, call)

/* Whether the first elements of the memory, of either kind, are the value. */
static inline bool all_are(const int *memory, int count, int value)
{
	std::vector<int> host((size_t)count);

	cudaMemcpy(host.data(), memory, host.size() * sizeof(int), cudaMemcpyDefault);
	for (int found : host)
		if (found != value)
			return false;
	return true;
}

/* The exit code of the program. */
static inline int counted(void)
{
	printf("%d of %d checks failed\n", failed, checks);
	return failed > 0;
}

#endif
