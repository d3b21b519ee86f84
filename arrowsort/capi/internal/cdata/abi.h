//go:build capi

// The structures of the Arrow C Data Interface and the Arrow C Stream Interface, as Arrow's specification has them, and
// what Go needs of C to make, call and release them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

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
