//go:build capi

// What Go needs of C to make, call and release the structures of the Arrow C Data Interface and the Arrow C Stream
// Interface.
#pragma once

#include "../../arrowsort.h"

// Memory in blocks that begin at a multiple of 64 bytes; NULL when there is none.
void* cdata_block_new(size_t bytes);
void cdata_block_free(void* block);

extern const char cdata_zeros[64];  // in place of buffers without bytes

// The Go object that a tree of exported arrays holds. It is released with the last array of the tree.
struct cdata_holder;
struct cdata_holder* cdata_holder_new(uintptr_t handle);
void cdata_holder_release(struct cdata_holder* holder);

// These fill a zeroed structure, whose arrays are to be filled by the caller, and set its release callback. -1: there
// is no memory, and nothing is to be released.
int cdata_schema_init(struct ArrowSchema* out, const char* format, const char* name, const void* metadata,
                          size_t metadata_bytes, int64_t n_children, int dictionary);
int cdata_array_init(struct ArrowArray* out, int64_t n_buffers, int64_t n_sizes, int64_t n_children,
                         int dictionary, struct cdata_holder* holder);
int64_t* cdata_array_sizes(struct ArrowArray* array);  // of the data buffers of views
int cdata_stream_init(struct ArrowArrayStream* out, uintptr_t handle);
uintptr_t cdata_stream_handle(struct ArrowArrayStream* stream);  // 0: the stream is of another library

// Moves a structure to new memory; NULL when there is none, and then nothing is moved.
struct ArrowArray* cdata_array_move(struct ArrowArray* from);
struct ArrowArrayStream* cdata_stream_move(struct ArrowArrayStream* from);

// Callbacks of structures of others. A released structure is released no more.
void cdata_schema_release(struct ArrowSchema* schema);
void cdata_array_release(struct ArrowArray* array);
void cdata_stream_release(struct ArrowArrayStream* stream);
int cdata_stream_get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out);
int cdata_stream_get_next(struct ArrowArrayStream* stream, struct ArrowArray* out);
const char* cdata_stream_get_last_error(struct ArrowArrayStream* stream);
