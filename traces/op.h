/* op.h - the kinds of operations that a trace records. */
#ifndef OP_H
#define OP_H

/* X(name, text). Traces store the order: it must not change. */
#define OP_LIST(X) \
	X(ALLOC, "alloc") X(FREE, "free") \
	X(UPLOAD, "upload") X(UPLOAD_POINTERS, "upload_pointers") X(DOWNLOAD, "download") \
	X(COPY, "copy") X(FILL, "fill") X(LAUNCH, "launch") X(SYNC, "sync") \
	X(STREAM_CREATE, "stream_create") X(STREAM_DESTROY, "stream_destroy") \
	X(EVENT_CREATE, "event_create") X(EVENT_DESTROY, "event_destroy") \
	X(EVENT_RECORD, "event_record") X(EVENT_WAIT, "event_wait") \
	X(CAPTURE_BEGIN, "capture_begin") X(CAPTURE_END, "capture_end") \
	X(GRAPH_NODE, "graph_node") X(GRAPH_LAUNCH, "graph_launch") X(RESTORE, "restore") \
	X(UPLOAD_ASYNC, "upload_async") X(DOWNLOAD_ASYNC, "download_async") \
	X(EVENT_SYNC, "event_sync") X(CAPTURE_RELAX, "capture_relax") \
	X(GRAPH_CREATE, "graph_create") X(GRAPH_INSTANTIATE, "graph_instantiate") \
	X(GRAPH_UPLOAD, "graph_upload") X(GRAPH_DESTROY, "graph_destroy") \
	X(GRAPH_EXEC_DESTROY, "graph_exec_destroy") X(HOST_SOFTMAX, "host_softmax") \
	X(VARIABLE, "variable") X(HEAP, "heap")

enum op_kind {
#define X(name, text) OP_##name,
	OP_LIST(X)
#undef X
	OP_COUNT
};

const char *op_kind_name(enum op_kind);         /* "upload"; "unknown" if invalid */

#endif
