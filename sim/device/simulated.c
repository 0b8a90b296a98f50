/* simulated.c - functions shared by all files of the simulated device; see simulated.h. */
#include "config.h"

#include "sim/device/simulated.h"

#include "sim/exec/mix.h"

enum status simulated_check_alive(const struct device_simulated *sim)
{
	if (!sim->sticky)
		return STATUS_OK;
	fail_device(sim->sticky, "an earlier launch failed: %s", sim->sticky_text);
	return sim->sticky_status;
}

bool simulated_holds(const struct device_simulated *sim, uint64_t address, uint64_t bytes)
{
	for (const struct sim_buffer *b = sim->buffers; b; b = b->next)
		if (address >= b->base.address && bytes <= b->base.bytes
		    && address - b->base.address <= b->base.bytes - bytes)
			return true;
	return false;
}

bool simulated_is_managed(const struct device_simulated *sim, uint64_t address)
{
	for (const struct sim_buffer *b = sim->buffers; b; b = b->next)
		if (b->managed && address - b->base.address < b->base.bytes)
			return true;
	return false;
}

uint32_t simulated_draw(struct device_simulated *sim, uint32_t below)
{
	sim->random = mix(sim->random, 0);
	return (uint32_t)((sim->random >> 32) * below >> 32);
}
