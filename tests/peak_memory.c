/* peak_memory.c - peak_memory FILE COMMAND...: runs a command and writes its peak memory to FILE.
 *
 * Resident memory in units of 1000 bytes; "unknown" if built with AddressSanitizer, whose own
 * memory would be counted. Exits with the command's status. Used by tests/tui/test_sizes.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char **argv, struct rusage *usage)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, usage) < 0) {
		perror("peak_memory");
		exit(99);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	FILE *file;
	int code;

	if (argc < 3) {
		fprintf(stderr, "usage: peak_memory FILE COMMAND...\n");
		return 99;
	}
	code = run(argv + 2, &usage);
	file = fopen(argv[1], "w");
	if (!file) {
		perror(argv[1]);
		return 99;
	}
#ifdef __SANITIZE_ADDRESS__
	fprintf(file, "unknown\n");
#else
	fprintf(file, "%ld\n", usage.ru_maxrss * 1024 / 1000);
#endif
	if (fclose(file) != 0) {
		perror(argv[1]);
		return 99;
	}
	return code;
}
