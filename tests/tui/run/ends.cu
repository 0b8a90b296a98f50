// ends.cu - ends in the way that its first argument names; uses a device before and after.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <cuda_runtime.h>

static int *memory;

// Runs after main() and after functions that were registered with atexit().
struct last {
	~last()
	{
		printf("destructor: %d\n", (int)cudaFree(memory));
	}
};
static last object;

static void at_exit()
{
	int value = 0;

	printf("atexit: %d", (int)cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault));
	printf(" %d\n", value);
}

static void on_signal(int number)
{
	printf("caught %d\n", number);
	exit(9);
}

static void wait_for_signal()
{
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void copy_input()
{
	for (int c; (c = getchar()) != EOF;)
		putchar(c);
}

static void end(const char *how, int code)
{
	const int value = 5;

	cudaMalloc(&memory, sizeof value);
	cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice);
	atexit(at_exit);
	if (strcmp(how, "exit") == 0)
		exit(code);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(code);
	if (strcmp(how, "_exit") == 0)
		_exit(code);
	if (strcmp(how, "exec") == 0)
		execlp("sh", "sh", "-c", "exit 6", nullptr);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "assert") == 0)
		assert(code == 99);
	if (strcmp(how, "segfault") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "throw") == 0)
		throw code;
	if (strcmp(how, "fork") == 0 && fork() == 0)
		exit(1);
	if (strcmp(how, "wait") == 0)
		wait_for_signal();
	if (strcmp(how, "cat") == 0)
		copy_input();
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[2], "catch") == 0) {
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
	}
	if (argc > 2 && strcmp(argv[2], "sleeper") == 0 && fork() == 0)
		execlp("sleep", "sleep", argv[3], nullptr);
	if (argc > 1)
		end(argv[1], argc > 2 ? atoi(argv[2]) : 0);
	return argc > 2 ? atoi(argv[2]) : 0;
}
