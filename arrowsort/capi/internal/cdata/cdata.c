//go:build capi

// Structures of the Arrow C interfaces that Go exports. Their release callbacks are C, so that those of schemas and of
// all but the last array of a tree do not call Go, and so that none does in a fork.
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "fork.h"

const char cdata_zeros[64];

// A block begins at this many bytes from the start of what malloc returned. Large ones are aligned to huge pages.
enum { lead = 64, huge = 1 << 21 };

void* cdata_block_new(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t alignment = bytes >= 2 * huge ? huge : lead, whole = (bytes + 2 * lead - 1) / lead * lead;
#ifdef _WIN32
  char* start = _aligned_malloc(whole, alignment);
  return start ? start + lead : NULL;
#else
  void* start;
  return posix_memalign(&start, alignment, whole) == 0 ? (char*)start + lead : NULL;
#endif
}

void cdata_block_free(void* block) {
#ifdef _WIN32
  _aligned_free((char*)block - lead);
#else
  free((char*)block - lead);
#endif
}

struct cdata_holder {
  atomic_long references;
  uintptr_t handle;
};

struct cdata_holder* cdata_holder_new(uintptr_t handle) {
  struct cdata_holder* holder = malloc(sizeof *holder);
  if (!holder) return NULL;
  atomic_init(&holder->references, 1);
  holder->handle = handle;
  return holder;
}

void cdata_holder_release(struct cdata_holder* holder) {
  if (atomic_fetch_sub(&holder->references, 1) > 1) return;
  // In a fork the Go object stays: its memory is shared with the parent until one of them writes to it.
  if (!is_fork) goArrowsortReleaseHandle(holder->handle);
  free(holder);
}

void cdata_schema_release(struct ArrowSchema* schema) {
  if (schema && schema->release) schema->release(schema);
}

void cdata_array_release(struct ArrowArray* array) {
  if (array && array->release) array->release(array);
}

void cdata_stream_release(struct ArrowArrayStream* stream) {
  if (stream && stream->release) stream->release(stream);
}

// The private data of a schema is one block: pointers to the children, the children, the dictionary, metadata, format
// and name. Children that were moved out of it have no release callback any more.
static void release_schema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; i++) cdata_schema_release(schema->children[i]);
  cdata_schema_release(schema->dictionary);
  free(schema->private_data);
  schema->release = NULL;
}

int cdata_schema_init(struct ArrowSchema* out, const char* format, const char* name, const void* metadata,
                          size_t metadata_bytes, int64_t n_children, int dictionary) {
  size_t children = (size_t)n_children, format_bytes = strlen(format) + 1, name_bytes = strlen(name) + 1;
  size_t structures = children + (dictionary ? 1 : 0);
  char* at = calloc(1, children * sizeof(void*) + structures * sizeof *out + metadata_bytes + format_bytes +
                           name_bytes);
  if (!at) return -1;
  out->private_data = at;
  out->n_children = n_children;
  if (children > 0) out->children = (struct ArrowSchema**)at;
  at += children * sizeof(void*);
  for (size_t i = 0; i < children; i++) out->children[i] = (struct ArrowSchema*)at + i;
  if (dictionary) out->dictionary = (struct ArrowSchema*)at + children;
  at += structures * sizeof *out;
  if (metadata_bytes > 0) out->metadata = memcpy(at, metadata, metadata_bytes);
  out->format = memcpy(at + metadata_bytes, format, format_bytes);
  out->name = memcpy(at + metadata_bytes + format_bytes, name, name_bytes);
  out->release = release_schema;
  return 0;
}

// The private data of an array: this, pointers to buffers and to children, the sizes of the data buffers of views, the
// children and the dictionary.
struct array_block {
  struct cdata_holder* holder;
  int64_t* sizes;
  struct ArrowArray* structures;  // the children, then the dictionary; one that was moved out is marked as released
  int64_t n_structures;
};

static void release_array(struct ArrowArray* array) {
  struct array_block* block = array->private_data;
  for (int64_t i = 0; i < block->n_structures; i++) cdata_array_release(block->structures + i);
  cdata_holder_release(block->holder);
  free(block);
  array->release = NULL;
}

int cdata_array_init(struct ArrowArray* out, int64_t n_buffers, int64_t n_sizes, int64_t n_children,
                         int dictionary, struct cdata_holder* holder) {
  size_t pointers = (size_t)n_buffers + (size_t)n_children, structures = (size_t)n_children + (dictionary ? 1 : 0);
  struct array_block* block = calloc(1, sizeof *block + pointers * sizeof(void*) + (size_t)n_sizes * sizeof(int64_t) +
                                            structures * sizeof *out);
  if (!block) return -1;
  char* at = (char*)(block + 1);
  out->n_buffers = n_buffers;
  out->n_children = n_children;
  if (n_buffers > 0) out->buffers = (const void**)at;
  at += (size_t)n_buffers * sizeof(void*);
  if (n_children > 0) out->children = (struct ArrowArray**)at;
  at += (size_t)n_children * sizeof(void*);
  block->sizes = (int64_t*)at;
  at += (size_t)n_sizes * sizeof(int64_t);
  block->structures = (struct ArrowArray*)at;
  block->n_structures = (int64_t)structures;
  for (int64_t i = 0; i < n_children; i++) out->children[i] = block->structures + i;
  if (dictionary) out->dictionary = block->structures + n_children;
  atomic_fetch_add(&holder->references, 1);
  block->holder = holder;
  out->private_data = block;
  out->release = release_array;
  return 0;
}

int64_t* cdata_array_sizes(struct ArrowArray* array) { return ((struct array_block*)array->private_data)->sizes; }

struct ArrowArray* cdata_array_move(struct ArrowArray* from) {
  struct ArrowArray* to = malloc(sizeof *to);
  if (!to) return NULL;
  *to = *from;
  from->release = NULL;
  return to;
}

struct ArrowArrayStream* cdata_stream_move(struct ArrowArrayStream* from) {
  struct ArrowArrayStream* to = malloc(sizeof *to);
  if (!to) return NULL;
  *to = *from;
  from->release = NULL;
  return to;
}

// The private data of an exported stream.
struct stream_block {
  uintptr_t handle;
  char* error;  // the last one, for get_last_error
};

static int stream_failed(struct stream_block* block, const char* text, int code) {
  free(block->error);
  block->error = strdup(text);
  return code;
}

static int stream_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  struct stream_block* block = stream->private_data;
  memset(out, 0, sizeof *out);
  if (is_fork) return stream_failed(block, fork_text, EPERM);
  free(block->error);
  block->error = NULL;
  return goArrowsortStreamSchema(block->handle, out, &block->error);
}

static int stream_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  struct stream_block* block = stream->private_data;
  memset(out, 0, sizeof *out);
  if (is_fork) return stream_failed(block, fork_text, EPERM);
  free(block->error);
  block->error = NULL;
  return goArrowsortStreamNext(block->handle, out, &block->error);
}

static const char* stream_last_error(struct ArrowArrayStream* stream) {
  return ((struct stream_block*)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream* stream) {
  struct stream_block* block = stream->private_data;
  if (!is_fork) goArrowsortReleaseHandle(block->handle);
  free(block->error);
  free(block);
  stream->release = NULL;
}

int cdata_stream_init(struct ArrowArrayStream* out, uintptr_t handle) {
  struct stream_block* block = calloc(1, sizeof *block);
  if (!block) return -1;
  block->handle = handle;
  out->get_schema = stream_schema;
  out->get_next = stream_next;
  out->get_last_error = stream_last_error;
  out->release = release_stream;
  out->private_data = block;
  return 0;
}

uintptr_t cdata_stream_handle(struct ArrowArrayStream* stream) {
  return stream->release == release_stream ? ((struct stream_block*)stream->private_data)->handle : 0;
}

int cdata_stream_get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  return stream->get_schema(stream, out);
}

int cdata_stream_get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  return stream->get_next(stream, out);
}

const char* cdata_stream_get_last_error(struct ArrowArrayStream* stream) {
  return stream->get_last_error(stream);
}
