// arrowsort.h: the C interface of arrowsort, a columnar sort for Apache Arrow.
//
// Data go in and come out by the Arrow C Data Interface and the Arrow C Stream Interface. Buffers are not copied.
//
//     struct ArrowArrayStream input = ..., output = {0};
//     struct arrowsort_error error = {0};
//     struct arrowsort_key key = {.path = "delay", .descending = 1};
//     arrowsort_data data = 0, sorted = 0;
//     if (arrowsort_import_stream(&input, &data, &error) ||
//         arrowsort_sort(data, &key, 1, NULL, &sorted, &error) ||
//         arrowsort_export_stream(sorted, &output, &error))
//       fprintf(stderr, "%s: %s\n", error.name, error.message);
//     arrowsort_data_free(sorted);
//     arrowsort_data_free(data);
//     arrowsort_error_free(&error);
//
// Handles. Data that were imported or are the result of a call are referred to by a handle, an integer that is not 0. A
// handle may be used by any number of calls at the same time and is freed once, by arrowsort_data_free. Data stay in
// memory until their handle is freed and all arrays and streams that were exported from them, or from results that
// share buffers with them, are released.
//
// Ownership. An ArrowArray and an ArrowArrayStream that goes in is moved, also when the call fails: its release
// callback is NULL afterwards, and the library calls it exactly once. An ArrowSchema that goes in is borrowed. What
// comes out is written to a structure that need not be initialised, is released by the caller, and is not written
// after an error but for release = NULL. Strings that go in are UTF-8, end at a zero byte, and are borrowed for the
// call.
//
// Errors. Functions return ARROWSORT_OK, 0, or a code; then error, where it is not NULL, has the code, the name of Go's
// error and a message. No function ends the process.
//
// Threads. All functions may be called from any thread at the same time; a stream that came out, by one thread at a
// time. Release callbacks may be called from any thread. While a call runs, callbacks of streams that went in are
// called from the thread of the call.
//
// The process. The library holds a Go runtime: it cannot be unloaded (dlclose), it starts threads, and it does not run
// in a fork of a process that has loaded it, where all functions return ARROWSORT_FORKED. Signal handlers of the
// program are left alone but those of SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG, to which Go passes on what is not
// its own.
//
// docs/c.md has more: building, types, complete programs.
#ifndef ARROWSORT_H
#define ARROWSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_CUDA_MANAGED 13

struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id;
  ArrowDeviceType device_type;
  void* sync_event;  // a cudaEvent_t*; NULL: the array is complete
  int64_t reserved[3];
};

#endif  // ARROW_C_DEVICE_DATA_INTERFACE

// The version of this interface. It changes when a program that was built with an older header would not work any more;
// functions, codes and fields at the end of arrowsort_options may be added without it.
#define ARROWSORT_ABI 1

// arrowsort_abi returns ARROWSORT_ABI of the library.
int32_t arrowsort_abi(void);

// arrowsort_version returns the version of the library, such as "v0.3.0"; "(devel)" where it was built without one,
// "unknown" in a fork. The string is static.
const char* arrowsort_version(void);

// ---- Errors -------------------------------------------------------------------------------------------------------

enum arrowsort_code {
  ARROWSORT_OK = 0,
  ARROWSORT_ERROR = 1,         // "Error": none of the others, such as an error of the file system
  ARROWSORT_NO_KEYS = 2,       // "ErrNoKeys": a table is to be sorted by no keys
  ARROWSORT_COLUMN = 3,        // "ErrColumn": a key names no column, or more than one
  ARROWSORT_KEY_TYPE = 4,      // "ErrKeyType": the type of a key has no order
  ARROWSORT_OPTION = 5,        // "ErrOption": an invalid key, option, argument, schema or array
  ARROWSORT_ROWS = 6,          // "ErrRows": 2^32 rows or more
  ARROWSORT_OFFSETS = 7,       // "ErrOffsets": an array of the result would be too long for its offsets
  ARROWSORT_DICTIONARY = 8,    // "ErrDictionary": more entries than the indices can number
  ARROWSORT_INDEX = 9,         // "ErrIndex": a row number is null or out of range
  ARROWSORT_UNSORTED = 10,     // "ErrUnsorted": data that has to be in order is not
  ARROWSORT_SCHEMA = 11,       // "ErrSchema": columns that belong together differ
  ARROWSORT_MEMORY = 12,       // "ErrMemory": there is no more memory, or the budget is too small
  ARROWSORT_CORRUPT = 13,      // "ErrCorrupt": a file does not follow its format
  ARROWSORT_UNSUPPORTED = 14,  // "ErrUnsupported": a type, or what a file holds, is not supported
  ARROWSORT_CANCELLED = 15,    // "Canceled": the call was cancelled by its handle
  ARROWSORT_ROW = 16,          // "ErrRow": bytes to decode are not rows
  ARROWSORT_STREAM = 17,       // "ErrStream": a stream that went in returned an error
  ARROWSORT_NOT_FOUND = 18,    // "ErrNotExist": a file does not exist
  ARROWSORT_DEVICE = 19,       // "ErrDevice": there is no GPU, or it failed
  ARROWSORT_HANDLE = 20,       // "ErrHandle": a handle is 0, of another kind, or was freed
  ARROWSORT_FORKED = 21,       // "ErrForked": the process is a fork of one that has loaded the library
  ARROWSORT_PANIC = 22,        // "ErrPanic": data contradict themselves, or the library has a fault
};

struct arrowsort_error {
  int32_t code;      // arrowsort_code
  const char* name;  // as above; static
  char* message;     // freed by arrowsort_error_free; NULL where code is ARROWSORT_OK
};

// arrowsort_error_free frees the message and sets the error to zero. It does so once; a zeroed error has no message.
// Functions do not free the message of an error that they write to.
void arrowsort_error_free(struct arrowsort_error* error);

// arrowsort_text_free frees a text that came out; NULL is none.
void arrowsort_text_free(char* text);

// ---- Data ---------------------------------------------------------------------------------------------------------

// A handle of a table or a column; 0 is none.
typedef uint64_t arrowsort_data;

// arrowsort_import_stream reads a stream to its end and returns its data: a table where the type of the stream is a
// struct, else a column. The stream is moved. Fails with ARROWSORT_STREAM, ARROWSORT_UNSUPPORTED or ARROWSORT_OPTION.
int32_t arrowsort_import_stream(struct ArrowArrayStream* stream, arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_import_array returns the data of an array: a table where its type is a struct, else a column; a column in
// any case where column is not 0. The array is moved, the schema is borrowed.
int32_t arrowsort_import_array(struct ArrowArray* array, const struct ArrowSchema* schema, int32_t column,
                               arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_export_stream makes a stream of data: of records of a table, of the chunks of a column. The stream holds
// the data: the handle may be freed.
int32_t arrowsort_export_stream(arrowsort_data data, struct ArrowArrayStream* out, struct arrowsort_error* error);

// arrowsort_export_array makes one array of data that have one chunk at most: of a table a struct. Data of several
// chunks fail with ARROWSORT_OFFSETS: results have several only where one would be too long.
int32_t arrowsort_export_array(arrowsort_data data, struct ArrowArray* out, struct ArrowSchema* out_schema,
                               struct arrowsort_error* error);

// arrowsort_rows returns the number of rows, arrowsort_columns that of the columns of a table, and -1 for a column; in
// *count.
int32_t arrowsort_rows(arrowsort_data data, int64_t* count, struct arrowsort_error* error);
int32_t arrowsort_columns(arrowsort_data data, int64_t* count, struct arrowsort_error* error);

// arrowsort_validate checks data down to every offset, index and type code: an import takes them as they are, as other
// libraries do. Fails with ARROWSORT_CORRUPT, naming the column.
int32_t arrowsort_validate(arrowsort_data data, struct arrowsort_error* error);

// arrowsort_data_free frees a handle; 0 does nothing, and so does a handle that was freed.
void arrowsort_data_free(arrowsort_data data);

// arrowsort_allocated returns the bytes of memory that results and calls that run hold, without buffers that went in.
int64_t arrowsort_allocated(void);

// ---- Keys and options ---------------------------------------------------------------------------------------------

// A sort key, the most significant first. docs/ordering.md has the order of every type.
struct arrowsort_key {
  const char* path;       // the name of a column, or of nested struct fields joined by dots; NULL: column counts
  int64_t column;         // the position of the column, from 0
  int32_t descending;     // 0: ascending
  int32_t nulls_first;    // 0: values, NaNs, nulls; else nulls, NaNs, values, whatever the direction
  const char* collation;  // of text: "nocase", "natural", "numeric", or the tag of a locale such as "de"; NULL: bytes
  const char* function;   // of the values: "lower", "length", "abs", "year", "% 16", "hash", "hash 7"; or "random 42",
                          // which has no column; NULL: the column itself
};

// A handle by which a call is cancelled and its progress is seen; 0 is none.
typedef uint64_t arrowsort_call;

// Options of a call; NULL, and zeroed fields, are the defaults. An option that a function does not use must not be set:
// each function names those it uses besides threads, memory and call.
struct arrowsort_options {
  size_t size;         // sizeof(struct arrowsort_options)
  int64_t limit;       // the number of leading rows of the result; 0: all
  int64_t memory;      // bytes that the call may allocate, with its result; more is ARROWSORT_MEMORY; 0: no limit.
                       // Of arrowsort_sort_stream the budget: what does not fit is spilled; 0: half of the machine's
  int64_t batch_rows;  // rows of a record of a stream that comes out, at most; 0: a default
  arrowsort_call call;
  const char* engine;  // NULL, "cpu" or "gpu": in libraries with the GPU engine
  const char* spill_dir;  // the folder for what is spilled; NULL: that for temporary files
  int32_t threads;        // of the CPU at most; 0: all
  int32_t unique;         // not 0: only the first row of each key
};

// arrowsort_call_new returns a handle for calls. It may be given to several calls, also at the same time.
arrowsort_call arrowsort_call_new(void);

// arrowsort_cancel ends the calls with the handle, as a rule within 50 ms, and all that are given it later: they fail
// with ARROWSORT_CANCELLED. It may be called from any thread, not from a signal handler.
int32_t arrowsort_cancel(arrowsort_call call, struct arrowsort_error* error);

struct arrowsort_progress {
  int64_t done, total;  // steps, rows or bytes of the phase; a total of 0 is not known
  char phase[48];       // what is done: of functions of files; else empty
};

// arrowsort_call_progress returns the last progress of the calls with the handle. It may be called from any thread.
int32_t arrowsort_call_progress(arrowsort_call call, struct arrowsort_progress* out, struct arrowsort_error* error);

// arrowsort_call_free frees a handle; calls that run with it go on. 0 does nothing.
void arrowsort_call_free(arrowsort_call call);

// ---- Sorting ------------------------------------------------------------------------------------------------------
// All functions fail with ARROWSORT_NO_KEYS, _COLUMN, _KEY_TYPE, _OPTION or _HANDLE before any work, with _MEMORY,
// _ROWS or _CANCELLED, and as named. A column needs no keys: without any it is sorted ascending, nulls at the end.

// arrowsort_sort returns the data in the order of the keys, with all columns. Rows that tie keep their order.
// Options: limit, engine. Fails with _OFFSETS, _DICTIONARY.
int32_t arrowsort_sort(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                       const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_sort_indices returns the row numbers of the data in the order of the keys, a column of uint64, or of uint32
// where bits is 32. Options: limit, engine.
int32_t arrowsort_sort_indices(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys, int32_t bits,
                               const struct arrowsort_options* options, arrowsort_data* out,
                               struct arrowsort_error* error);

// arrowsort_take returns the rows of the data that row numbers name, a column of any integer type. Options: limit.
// Fails with _INDEX, _OFFSETS, _DICTIONARY.
int32_t arrowsort_take(arrowsort_data data, arrowsort_data rows, const struct arrowsort_options* options,
                       arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_is_sorted writes to *row -1 where the data is in the order of the keys, else the first row that sorts
// before the one above it.
int32_t arrowsort_is_sorted(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                            const struct arrowsort_options* options, int64_t* row, struct arrowsort_error* error);

enum arrowsort_ties {
  ARROWSORT_TIES_FIRST = 0,    // different ranks, in the order of the rows
  ARROWSORT_TIES_MIN = 1,      // the smallest of these ranks
  ARROWSORT_TIES_MAX = 2,      // the greatest of these ranks
  ARROWSORT_TIES_DENSE = 3,    // one rank, and the next rows the next rank
  ARROWSORT_TIES_AVERAGE = 4,  // the mean of the ranks of ARROWSORT_TIES_FIRST
};

// arrowsort_rank returns the rank of each row from 1 on, in the order of the data: a column of uint64, with
// ARROWSORT_TIES_AVERAGE of float64. Options: engine.
int32_t arrowsort_rank(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys, int32_t ties,
                       const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_search_sorted returns, for each row of values, the place in the sorted data that keeps the order of the
// keys: the first one, or the last one where right is not 0. A column of uint64. Values have one column for each key.
// Options: limit, for the values. Fails with _UNSORTED, _SCHEMA.
int32_t arrowsort_search_sorted(arrowsort_data data, arrowsort_data values, const struct arrowsort_key* keys,
                                int64_t n_keys, int32_t right, const struct arrowsort_options* options,
                                arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_groups returns the borders of the groups of rows that tie, of sorted data: a column of uint64. Group i is
// rows borders[i] to borders[i+1]-1. Fails with _UNSORTED.
int32_t arrowsort_groups(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                         const struct arrowsort_options* options, arrowsort_data* out, struct arrowsort_error* error);

// arrowsort_merge merges sorted data of the same columns. Options: limit. Fails with _UNSORTED, _SCHEMA.
int32_t arrowsort_merge(const arrowsort_data* inputs, int64_t n_inputs, const struct arrowsort_key* keys,
                        int64_t n_keys, const struct arrowsort_options* options, arrowsort_data* out,
                        struct arrowsort_error* error);

// arrowsort_explain describes how the data would be sorted, as JSON: the object "details" of docs/json.md. The caller
// frees *json by arrowsort_text_free. Options: engine.
int32_t arrowsort_explain(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                          const struct arrowsort_options* options, char** json, struct arrowsort_error* error);

// arrowsort_encode_rows returns the keys as bytes that compare with memcmp as the keys do: a column of large binary,
// see docs/rows.md.
int32_t arrowsort_encode_rows(arrowsort_data data, const struct arrowsort_key* keys, int64_t n_keys,
                              const struct arrowsort_options* options, arrowsort_data* out,
                              struct arrowsort_error* error);

// arrowsort_decode_rows returns the keys of encoded rows as a table with one column for each key. The keys are those of
// data of the same types as like, of which no rows are read. Fails with _ROW.
int32_t arrowsort_decode_rows(arrowsort_data rows, arrowsort_data like, const struct arrowsort_key* keys,
                              int64_t n_keys, const struct arrowsort_options* options, arrowsort_data* out,
                              struct arrowsort_error* error);

// ---- Columns on a GPU ---------------------------------------------------------------------------------------------

// arrowsort_device_argsort returns the row numbers of an array in the memory of an NVIDIA GPU in the order of the keys,
// on that GPU: nothing is copied to the host. The array is one of fixed-width values, sorted by itself (key: column 0,
// or no key at all), or a struct whose fields the keys name. Row numbers are uint64, of uint32 where bits is 32.
//
// stream is the CUstream (cudaStream_t) that the sort is queued in, of the device's primary context, which the CUDA
// runtime uses; NULL is its default stream, and that of the thread (2) is refused. The array's sync_event comes
// first. The call returns when the last kernel is queued; it waits for decisions of kernels, and needs memory of the
// engine, so the stream must not be captured into a graph. out's sync_event is for other streams.
//
// The array and the schema are borrowed; buffers are read until the stream has passed the sort. out is released by the
// caller, after the work that reads it has been queued in stream, which must still be there. The engine keeps the
// memory for the next sort. Calls for one device run one after another.
//
// Options: limit. Fails with _COLUMN, _KEY_TYPE (strings, dictionaries, nested types), _ROWS, _MEMORY, _CANCELLED, with
// _OPTION for memory of the host, of another device or context, a stream of another context, a released array, and with
// _DEVICE where there is no GPU, or a library that is built without the GPU engine.
int32_t arrowsort_device_argsort(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                                 const struct arrowsort_key* keys, int64_t n_keys, int32_t bits, void* stream,
                                 const struct arrowsort_options* options, struct ArrowDeviceArray* out,
                                 struct arrowsort_error* error);

// arrowsort_device_argsort_into writes the row numbers to memory of the caller on the same GPU, as many as the array
// has rows, of limit at most; they may not overlap the array's buffers. At a multiple of 16 bytes they need no copy.
// The stream may be captured into a CUDA graph for an array of one key, no bool, without nulls, of at most 65,536 rows,
// without a limit and a sync_event; the graph then sorts what is in the array's buffers whenever it is launched.
// Otherwise as arrowsort_device_argsort.
int32_t arrowsort_device_argsort_into(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                                      const struct arrowsort_key* keys, int64_t n_keys, int32_t bits, void* stream,
                                      const struct arrowsort_options* options, void* rows,
                                      struct arrowsort_error* error);

// arrowsort_device_sort returns the array in the order of the keys, in the memory of its GPU: of a struct every field.
// out is an array of the same schema whose offset is 0, and as out of arrowsort_device_argsort otherwise; its children
// may be moved out of it. All columns are of fixed width, keys of types that arrowsort_device_argsort takes; the values
// of fixed-size binary that is no key may have any number of bytes. Fails as that does, with _KEY_TYPE also for columns
// that are no keys.
int32_t arrowsort_device_sort(const struct ArrowDeviceArray* array, const struct ArrowSchema* schema,
                              const struct arrowsort_key* keys, int64_t n_keys, void* stream,
                              const struct arrowsort_options* options, struct ArrowDeviceArray* out,
                              struct arrowsort_error* error);

// ---- Streams ------------------------------------------------------------------------------------------------------

// arrowsort_merge_streams merges streams of records, each of which is sorted: it reads them as the stream that comes
// out is read. The streams are moved, all of them also when the call fails. Options: limit, batch_rows. Errors of a
// stream, and ARROWSORT_UNSORTED, are errors of get_next: see arrowsort_stream_error. The streams that went in are
// released with the one that comes out.
int32_t arrowsort_merge_streams(struct ArrowArrayStream* const* streams, int64_t n_streams,
                                const struct arrowsort_key* keys, int64_t n_keys,
                                const struct arrowsort_options* options, struct ArrowArrayStream* out,
                                struct arrowsort_error* error);

// arrowsort_sort_stream sorts a stream of records within the budget of options.memory: what does not fit is spilled to
// files, which are removed when the stream that comes out is released. The stream is moved, and read to its end by the
// call. Dictionaries come out as their values. Options: limit, unique, batch_rows, spill_dir, engine.
int32_t arrowsort_sort_stream(struct ArrowArrayStream* stream, const struct arrowsort_key* keys, int64_t n_keys,
                              const struct arrowsort_options* options, struct ArrowArrayStream* out,
                              struct arrowsort_error* error);

// arrowsort_stream_error returns the error of the last callback of a stream that came out, with its code and name.
int32_t arrowsort_stream_error(struct ArrowArrayStream* stream, struct arrowsort_error* error);

// ---- Files --------------------------------------------------------------------------------------------------------

// arrowsort_files runs a command of the program arrowsort on files: its request is a JSON object of the flags of the
// command by their long names, with "command" (sort, merge, argsort, check, explain, layout or info) and "inputs"
// besides:
//
//     {"command": "sort", "inputs": ["flights.parquet"], "key": ["delay:desc", "date"], "output": "sorted.parquet",
//      "memory": "1GiB", "unique": true}
//
// A flag that may repeat takes an array. *report is the JSON object that the command prints with --json, see
// docs/json.md; the caller frees it by arrowsort_text_free. Neither standard input nor output is used: "-" names no
// file. A file that is not sorted is no error of check. call is 0 or a handle to cancel it. Fails with _NOT_FOUND,
// _CORRUPT, _UNSUPPORTED, _UNSORTED, _SCHEMA and others.
int32_t arrowsort_files(const char* request, arrowsort_call call, char** report, struct arrowsort_error* error);

// arrowsort_main is the main function of the program arrowsort: it reads and writes the standard streams, takes
// SIGINT, SIGTERM and SIGHUP over for the rest of the process, tunes its memory, and returns the exit code. In a fork
// it writes the error to standard error and returns 1.
int32_t arrowsort_main(int32_t argc, const char* const* argv);

#ifdef __cplusplus
}
#endif

#endif  // ARROWSORT_H
