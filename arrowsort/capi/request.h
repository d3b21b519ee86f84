//go:build capi

// What the functions of arrowsort.h pass to Go: one structure for all of them, of which each uses some fields.
#pragma once

#include "arrowsort.h"

enum arrowsort_function {
  IMPORT_STREAM,
  IMPORT_ARRAY,
  EXPORT_STREAM,
  EXPORT_ARRAY,
  COUNT_ROWS,
  COUNT_COLUMNS,
  VALIDATE,
  CANCEL,
  PROGRESS,
  SORT,
  SORT_INDICES,
  TAKE,
  IS_SORTED,
  RANK,
  SEARCH_SORTED,
  GROUPS,
  MERGE,
  EXPLAIN,
  ENCODE_ROWS,
  DECODE_ROWS,
  DEVICE_ARGSORT,
  DEVICE_ARGSORT_INTO,
  DEVICE_SORT,
  MERGE_STREAMS,
  SORT_STREAM,
  STREAM_ERROR,
  FILES,
};

struct arrowsort_request {
  int32_t function;
  int32_t parameter;  // bits, ties, right or column
  arrowsort_data data, other;
  arrowsort_call call;
  const struct arrowsort_key* keys;
  int64_t n_keys;
  const struct arrowsort_options* options;
  const arrowsort_data* inputs;
  struct ArrowArrayStream* const* streams;  // that go in
  int64_t n_inputs;                         // of inputs or streams
  struct ArrowArray* array;                 // that goes in
  const struct ArrowSchema* schema;         // that goes in
  const char* text;                         // that goes in
  const struct ArrowDeviceArray* device_array;  // that goes in
  void* stream;                                 // of a GPU
  void* device_rows;                            // memory of the caller for row numbers
  arrowsort_data* out;
  int64_t* out_number;
  char** out_text;
  struct ArrowArrayStream* out_stream;
  struct ArrowArray* out_array;
  struct ArrowSchema* out_schema;
  struct arrowsort_progress* out_progress;
  struct ArrowDeviceArray* out_device_array;
};

// A column on a GPU.
struct device_column {
  uint64_t values, validity;  // 0: no bitmap
  int32_t is_null;            // of the type that has no buffers
};

// Makes an array of columns on a GPU, or of one if it is no struct, which releases a handle. event 0: none. -1: there
// is no memory.
int device_result_init(struct ArrowDeviceArray* out, uint64_t handle, int64_t rows, int64_t device, uint64_t event,
                       const struct device_column* columns, int64_t n_columns, int is_struct);
