//go:build capi

// Row numbers and columns on a GPU as an ArrowDeviceArray.
#include <stdatomic.h>
#include <stdlib.h>

#include "_cgo_export.h"
#include "internal/cdata/fork.h"

// The private data of such an array, and of its children, which may be moved out of it: the last one frees all.
struct device_result {
  uint64_t handle;
  atomic_int references;
  void* event;          // a CUevent
  const void* none[1];  // the validity of a struct
  struct ArrowArray** children;
  struct {
    struct ArrowArray array;
    const void* buffers[2];
  } columns[];
};

static void release_device_result(struct ArrowArray* array) {
  struct device_result* result = array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    struct ArrowArray* child = array->children[i];
    if (child->release) child->release(child);
  }
  array->release = NULL;
  if (atomic_fetch_sub(&result->references, 1) > 1) return;
  if (!is_fork) goArrowsortReleaseDevice(result->handle);  // the context of a GPU does not live in a fork either
  free(result->children);
  free(result);
}

// column describes a column of a result.
static struct ArrowArray column(struct device_result* result, int i, const struct device_column* from, int64_t rows) {
  const void** buffers = result->columns[i].buffers;
  buffers[0] = (const void*)(uintptr_t)from->validity;
  buffers[1] = (const void*)(uintptr_t)from->values;
  return (struct ArrowArray){.length = rows,
                             .null_count = from->is_null ? rows : from->validity ? -1 : 0,
                             .n_buffers = from->is_null ? 0 : 2,
                             .buffers = buffers,
                             .release = release_device_result,
                             .private_data = result};
}

int device_result_init(struct ArrowDeviceArray* out, uint64_t handle, int64_t rows, int64_t device, uint64_t event,
                       const struct device_column* columns, int64_t n_columns, int is_struct) {
  struct device_result* result = calloc(1, sizeof *result + n_columns * sizeof result->columns[0]);
  struct ArrowArray** children = calloc(n_columns + 1, sizeof *children);
  if (!result || !children) {
    free(result);
    free(children);
    return -1;
  }
  result->handle = handle;
  result->children = children;
  result->event = (void*)(uintptr_t)event;
  result->references = 1;
  if (is_struct) {
    result->references += n_columns;
    for (int64_t i = 0; i < n_columns; i++) {
      result->columns[i].array = column(result, i, &columns[i], rows);
      children[i] = &result->columns[i].array;
    }
    out->array = (struct ArrowArray){.length = rows, .n_buffers = 1, .buffers = result->none, .n_children = n_columns,
                                     .children = children, .release = release_device_result, .private_data = result};
  } else {
    out->array = column(result, 0, columns, rows);
  }
  out->device_id = device;
  out->device_type = ARROW_DEVICE_CUDA;
  out->sync_event = event ? &result->event : NULL;
  return 0;
}
