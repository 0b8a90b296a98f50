/* device_list.c - opens a device by its name; see device.h. */
#include "engine/device.h"

#include <string.h>

static const struct device_ops *const device_table[] = { &device_sim, &device_cuda };

enum status device_open(const char *name, const struct device_options *options, struct device **out)
{
	static const struct device_options defaults;
	size_t i;

	for (i = 0; i < sizeof device_table / sizeof device_table[0]; i++)
		if (strcmp(name, device_table[i]->name) == 0)
			return device_table[i]->open(options ? options : &defaults, out);
	return fail(STATUS_USAGE, "device: expected sim or cuda, got %s", name);
}
