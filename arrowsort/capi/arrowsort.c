//go:build capi

// The functions of arrowsort.h. They are C so that calls in a fork, in which Go does not run, return an error. They
// release what was moved and was not taken over.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "internal/cdata/fork.h"

static int32_t run(struct arrowsort_request* request, struct arrowsort_error* error) {
  struct arrowsort_error unwanted = {0};
  if (!error) error = &unwanted;
  if (is_fork) {
    error->code = ARROWSORT_FORKED;
    error->name = "ErrForked";
    error->message = strdup(fork_text);
  } else {
    goArrowsortRun(request, error);
  }
  int32_t code = error->code;
  arrowsort_error_free(&unwanted);
  return code;
}

// The request of a function with keys and options; data is 0 for one of several inputs or streams, and out is NULL for
// one whose result is not data.
static struct arrowsort_request on_keys(int32_t function, arrowsort_data data, const struct arrowsort_key* keys,
                                        int64_t n_keys, const struct arrowsort_options* options, arrowsort_data* out) {
  return (struct arrowsort_request){
      .function = function, .data = data, .keys = keys, .n_keys = n_keys, .options = options, .out = out};
}

static void drop_stream(struct ArrowArrayStream* stream) {
  if (stream && stream->release) stream->release(stream);
}

int32_t arrowsort_abi(void) { return ARROWSORT_ABI; }

const char* arrowsort_version(void) { return is_fork ? "unknown" : goArrowsortVersion(); }

void arrowsort_error_free(struct arrowsort_error* error) {
  if (!error) return;
  free(error->message);
  memset(error, 0, sizeof *error);
}

void arrowsort_text_free(char* text) { free(text); }

int32_t arrowsort_import_stream(struct ArrowArrayStream* stream, arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = IMPORT_STREAM, .streams = &stream, .n_inputs = 1, .out = out};
  int32_t code = run(&request, error);
  drop_stream(stream);
  return code;
}

int32_t arrowsort_import_array(struct ArrowArray* array, const struct ArrowSchema* schema, int32_t column,
                               arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = {
      .function = IMPORT_ARRAY, .array = array, .schema = schema, .parameter = column, .out = out};
  int32_t code = run(&request, error);
  if (array && array->release) array->release(array);
  return code;
}

int32_t arrowsort_export_stream(arrowsort_data data, struct ArrowArrayStream* out, struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  struct arrowsort_request request = {.function = EXPORT_STREAM, .data = data, .out_stream = out};
  return run(&request, error);
}

int32_t arrowsort_export_array(arrowsort_data data, struct ArrowArray* out, struct ArrowSchema* out_schema,
                               struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  if (out_schema) memset(out_schema, 0, sizeof *out_schema);
  struct arrowsort_request request = {
      .function = EXPORT_ARRAY, .data = data, .out_array = out, .out_schema = out_schema};
  return run(&request, error);
}

int32_t arrowsort_rows(arrowsort_data data, int64_t* count, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = COUNT_ROWS, .data = data, .out_number = count};
  return run(&request, error);
}

int32_t arrowsort_columns(arrowsort_data data, int64_t* count, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = COUNT_COLUMNS, .data = data, .out_number = count};
  return run(&request, error);
}

int32_t arrowsort_validate(arrowsort_data data, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = VALIDATE, .data = data};
  return run(&request, error);
}

void arrowsort_data_free(arrowsort_data data) {
  if (data && !is_fork) goArrowsortFree(data, 1);
}

int64_t arrowsort_allocated(void) { return is_fork ? 0 : goArrowsortAllocated(); }

arrowsort_call arrowsort_call_new(void) { return is_fork ? 0 : goArrowsortCallNew(); }

int32_t arrowsort_cancel(arrowsort_call call, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = CANCEL, .call = call};
  return run(&request, error);
}

int32_t arrowsort_call_progress(arrowsort_call call, struct arrowsort_progress* out, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = PROGRESS, .call = call, .out_progress = out};
  return run(&request, error);
}

void arrowsort_call_free(arrowsort_call call) {
  if (call && !is_fork) goArrowsortFree(call, 0);
}

int32_t arrowsort_sort(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                       const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(SORT, data, keys, n_keys, options, out);
  return run(&request, error);
}

int32_t arrowsort_sort_indices(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys, int32_t bits,
                               const struct arrowsort_options* options, arrowsort_data* out,
                               struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(SORT_INDICES, data, keys, n_keys, options, out);
  request.parameter = bits;
  return run(&request, error);
}

int32_t arrowsort_take(arrowsort_data data, arrowsort_data rows, const struct arrowsort_options* options,
                       arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = {
      .function = TAKE, .data = data, .other = rows, .options = options, .out = out};
  return run(&request, error);
}

int32_t arrowsort_is_sorted(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                            const struct arrowsort_options* options, int64_t* row, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(IS_SORTED, data, keys, n_keys, options, NULL);
  request.out_number = row;
  return run(&request, error);
}

int32_t arrowsort_rank(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys, int32_t ties,
                       const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(RANK, data, keys, n_keys, options, out);
  request.parameter = ties;
  return run(&request, error);
}

int32_t arrowsort_search_sorted(arrowsort_data data, arrowsort_data values, const struct arrowsort_key* keys,
                                int64_t n_keys, int32_t right, const struct arrowsort_options* options,
                                arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(SEARCH_SORTED, data, keys, n_keys, options, out);
  request.other = values;
  request.parameter = right;
  return run(&request, error);
}

int32_t arrowsort_groups(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                         const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(GROUPS, data, keys, n_keys, options, out);
  return run(&request, error);
}

int32_t arrowsort_merge(const arrowsort_data* inputs, int64_t n_inputs, const struct arrowsort_key* keys,
                        int64_t n_keys, const struct arrowsort_options* options, arrowsort_data* out,
                        struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(MERGE, 0, keys, n_keys, options, out);
  request.inputs = inputs;
  request.n_inputs = n_inputs;
  return run(&request, error);
}

int32_t arrowsort_explain(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                          const struct arrowsort_options* options, char** json, struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(EXPLAIN, data, keys, n_keys, options, NULL);
  request.out_text = json;
  return run(&request, error);
}

int32_t arrowsort_encode_rows(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                              const struct arrowsort_options* options, arrowsort_data* out,
                              struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(ENCODE_ROWS, data, keys, n_keys, options, out);
  return run(&request, error);
}

int32_t arrowsort_decode_rows(arrowsort_data rows, arrowsort_data like, const struct arrowsort_key* keys,
                              int64_t n_keys, const struct arrowsort_options* options, arrowsort_data* out,
                              struct arrowsort_error* error) {
  struct arrowsort_request request = on_keys(DECODE_ROWS, rows, keys, n_keys, options, out);
  request.other = like;
  return run(&request, error);
}

int32_t arrowsort_device_argsort(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                                 const struct arrowsort_key* keys, int64_t n_keys, int32_t bits, void* stream,
                                 const struct arrowsort_options* options, struct ArrowDeviceArray* out,
                                 struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  struct arrowsort_request request = {
      .function = DEVICE_ARGSORT, .device_array = array, .schema = schema, .keys = keys, .n_keys = n_keys,
      .parameter = bits, .stream = stream, .options = options, .out_device_array = out};
  return run(&request, error);
}

int32_t arrowsort_device_argsort_into(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                                      const struct arrowsort_key* keys, int64_t n_keys, int32_t bits, void* stream,
                                      const struct arrowsort_options* options, void* rows,
                                      struct arrowsort_error* error) {
  struct arrowsort_request request = {
      .function = DEVICE_ARGSORT_INTO, .device_array = array, .schema = schema, .keys = keys, .n_keys = n_keys,
      .parameter = bits, .stream = stream, .options = options, .device_rows = rows};
  return run(&request, error);
}

int32_t arrowsort_device_sort(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                              const struct arrowsort_key* keys, int64_t n_keys, void* stream,
                              const struct arrowsort_options* options, struct ArrowDeviceArray* out,
                              struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  struct arrowsort_request request = {
      .function = DEVICE_SORT, .device_array = array, .schema = schema, .keys = keys, .n_keys = n_keys,
      .stream = stream, .options = options, .out_device_array = out};
  return run(&request, error);
}

int32_t arrowsort_merge_streams(struct ArrowArrayStream* const* streams, int64_t n_streams,
                                const struct arrowsort_key* keys, int64_t n_keys,
                                const struct arrowsort_options* options, struct ArrowArrayStream* out,
                                struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  struct arrowsort_request request = on_keys(MERGE_STREAMS, 0, keys, n_keys, options, NULL);
  request.streams = streams;
  request.n_inputs = n_streams;
  request.out_stream = out;
  int32_t code = run(&request, error);
  for (int64_t i = 0; streams && i < n_streams; i++) drop_stream(streams[i]);
  return code;
}

int32_t arrowsort_sort_stream(struct ArrowArrayStream* stream, const struct arrowsort_key* keys, int64_t n_keys,
                              const struct arrowsort_options* options, struct ArrowArrayStream* out,
                              struct arrowsort_error* error) {
  if (out) memset(out, 0, sizeof *out);
  struct arrowsort_request request = on_keys(SORT_STREAM, 0, keys, n_keys, options, NULL);
  request.streams = &stream;
  request.n_inputs = 1;
  request.out_stream = out;
  int32_t code = run(&request, error);
  drop_stream(stream);
  return code;
}

int32_t arrowsort_stream_error(struct ArrowArrayStream* stream, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = STREAM_ERROR, .streams = &stream, .n_inputs = 1};
  return run(&request, error);
}

int32_t arrowsort_files(const char* text, arrowsort_call call, char** report, struct arrowsort_error* error) {
  struct arrowsort_request request = {.function = FILES, .text = text, .call = call, .out_text = report};
  return run(&request, error);
}

int32_t arrowsort_main(int32_t argc, const char* const* argv) {
  if (is_fork) {
    fprintf(stderr, "%s\n", fork_text);
    return 1;
  }
  return goArrowsortMain(argc, (char**)argv);
}
