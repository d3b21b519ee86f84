//go:build capi

// Row numbers on a GPU as an ArrowDeviceArray.
#include <stdlib.h>

#include "_cgo_export.h"
#include "internal/cdata/fork.h"

// The private data of such an array.
struct device_rows {
  uint64_t handle;
  const void* buffers[2];
  void* event;  // a CUevent
};

static void release_device_rows(struct ArrowArray* array) {
  struct device_rows* rows = array->private_data;
  if (!is_fork) goArrowsortReleaseRows(rows->handle);  // the context of a GPU does not live in a fork either
  free(rows);
  array->release = NULL;
}

int device_rows_init(struct ArrowDeviceArray* out, uint64_t handle, uint64_t address, int64_t rows, int64_t device,
                     uint64_t event) {
  struct device_rows* made = calloc(1, sizeof *made);
  if (!made) return -1;
  made->handle = handle;
  made->buffers[1] = (const void*)(uintptr_t)address;
  made->event = (void*)(uintptr_t)event;
  out->array = (struct ArrowArray){
      .length = rows, .n_buffers = 2, .buffers = made->buffers, .release = release_device_rows, .private_data = made};
  out->device_id = device;
  out->device_type = ARROW_DEVICE_CUDA;
  out->sync_event = event ? &made->event : NULL;
  return 0;
}
