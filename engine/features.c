/* features.c - passes what attention is computed with to a recorder; see features.h. */
#include "engine/features.h"

#include "engine/device_check.h"

enum status device_attends(struct device *device, const struct attention_features *features)
{
	TRY(check_op(device, true, "attends"));
	return device->ops->recorder ? device->ops->recorder->attends(device, features) : STATUS_OK;
}
