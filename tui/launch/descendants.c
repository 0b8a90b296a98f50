/* descendants.c - walks the tree of processes in /proc; see descendants.h. A kernel without
 * CONFIG_PROC_CHILDREN shows none. */
#include "config.h"

#include "tui/launch/descendants.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_DEPTH 64

static void visit(pid_t pid, int depth, void (*fn)(pid_t, void *), void *context);

static void visit_children(const char *path, int depth, void (*fn)(pid_t, void *), void *context)
{
	FILE *file = fopen(path, "re");
	int child;

	if (!file)
		return;                 /* it has ended */
	while (fscanf(file, "%d", &child) == 1) {
		fn(child, context);
		visit(child, depth + 1, fn, context);
	}
	fclose(file);
}

static void visit(pid_t pid, int depth, void (*fn)(pid_t, void *), void *context)
{
	char path[64];
	struct dirent *task;
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = depth < MAX_DEPTH ? opendir(path) : NULL;
	if (!tasks)
		return;
	while ((task = readdir(tasks)))
		if (*task->d_name != '.') {
			snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
				 atoi(task->d_name));
			visit_children(path, depth, fn, context);
		}
	closedir(tasks);
}

void descendants_visit(pid_t pid, void (*fn)(pid_t, void *), void *context)
{
	visit(pid, 0, fn, context);
}

static void add_resident(pid_t pid, void *context)
{
	uint64_t *pages = context;
	unsigned long resident = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%*u %lu", &resident) == 1)
		*pages += resident;
	fclose(file);
}

uint64_t descendants_resident(pid_t pid)
{
	uint64_t pages = 0;

	descendants_visit(pid, add_resident, &pages);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
