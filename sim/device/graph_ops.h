/* graph_ops.h - the operations of device_ops on graphs. Private to sim/. */
#ifndef SIM_GRAPH_OPS_H
#define SIM_GRAPH_OPS_H

#include "engine/device.h"

enum status sim_graph_create(struct device *, struct graph **out);
enum status sim_graph_add_launch(struct device *, struct graph *, const struct launch *,
				 const int *after, int after_count, int *node);
enum status sim_graph_add_copy(struct device *, struct graph *, struct buffer *to,
			       uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			       size_t bytes, const int *after, int after_count, int *node);
enum status sim_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
enum status sim_graph_launch(struct device *, struct graph_exec *, struct stream *);
enum status sim_graph_destroy(struct device *, struct graph *);
enum status sim_graph_exec_destroy(struct device *, struct graph_exec *);

#endif
