// A C program that uses the library as others would: it makes arrays, sorts, merges and reads errors, and counts that
// each release callback is called once. It prints what went wrong and returns 1, or the version and 0.
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arrowsort.h"

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition);       \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

static struct arrowsort_error failure;

// ok requires that a call went well; failed that it failed with a code, and that the error says so.
static void ok_at(int32_t code, int line) {
  if (code == ARROWSORT_OK) return;
  fprintf(stderr, "line %d: %s: %s\n", line, failure.name, failure.message);
  exit(1);
}
#define OK(call) ok_at(call, __LINE__)

static void failed_at(int32_t code, int32_t want, const char* name, int line) {
  if (code != want || failure.code != want || strcmp(failure.name, name) != 0 || !failure.message) {
    fprintf(stderr, "line %d: code %d (%s), want %d (%s)\n", line, code, failure.message, want, name);
    exit(1);
  }
  arrowsort_error_free(&failure);
  CHECK(failure.message == NULL);
}
#define FAILED(call, code, name) failed_at(call, code, name, __LINE__)

// ---- Structures of this program ----

static int released;  // release callbacks that were called

static void release_array(struct ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i]->release) array->children[i]->release(array->children[i]);
    free(array->children[i]);
  }
  free(array->children);
  for (int64_t i = 0; i < array->n_buffers; i++) free((void*)array->buffers[i]);
  free(array->buffers);
  array->release = NULL;
  released++;
}

static void release_schema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    schema->children[i]->release(schema->children[i]);
    free(schema->children[i]);
  }
  free(schema->children);
  schema->release = NULL;
  released++;
}

static void make_array(struct ArrowArray* out, int64_t length, int64_t n_buffers, int64_t n_children) {
  memset(out, 0, sizeof *out);
  out->length = length;
  out->n_buffers = n_buffers;
  out->n_children = n_children;
  out->buffers = calloc(n_buffers ? n_buffers : 1, sizeof(void*));
  out->children = calloc(n_children ? n_children : 1, sizeof(void*));
  out->release = release_array;
  for (int64_t i = 0; i < n_children; i++) out->children[i] = calloc(1, sizeof *out);
}

static void make_schema(struct ArrowSchema* out, const char* format, const char* name, int64_t n_children) {
  memset(out, 0, sizeof *out);
  out->format = format;
  out->name = name;
  out->flags = ARROW_FLAG_NULLABLE;
  out->n_children = n_children;
  out->children = calloc(n_children ? n_children : 1, sizeof(void*));
  out->release = release_schema;
  for (int64_t i = 0; i < n_children; i++) out->children[i] = calloc(1, sizeof *out);
}

// table_schema is that of a table of "number", int64, and "word", a string.
static void table_schema(struct ArrowSchema* out) {
  make_schema(out, "+s", "", 2);
  make_schema(out->children[0], "l", "number", 0);
  make_schema(out->children[1], "u", "word", 0);
}

// table_array has rows with the numbers first, first+step, ... and the numbers as words.
static void table_array(struct ArrowArray* out, int64_t rows, int64_t first, int64_t step) {
  make_array(out, rows, 1, 2);
  struct ArrowArray *numbers = out->children[0], *words = out->children[1];
  make_array(numbers, rows, 2, 0);
  make_array(words, rows, 3, 0);
  if (rows == 0) return;  // all buffers are NULL
  int64_t* values = malloc(rows * sizeof *values);
  int32_t* offsets = malloc((rows + 1) * sizeof *offsets);
  char* bytes = malloc(rows * 24);
  offsets[0] = 0;
  for (int64_t i = 0; i < rows; i++) {
    values[i] = first + i * step;
    offsets[i + 1] = offsets[i] + sprintf(bytes + offsets[i], "%" PRId64, values[i]);
  }
  numbers->buffers[1] = values;
  words->buffers[1] = offsets;
  words->buffers[2] = bytes;
}

static arrowsort_data new_table(int64_t rows, int64_t first, int64_t step) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  arrowsort_data data = 0;
  table_array(&array, rows, first, step);
  table_schema(&schema);
  OK(arrowsort_import_array(&array, &schema, 0, &data, &failure));
  CHECK(array.release == NULL);
  CHECK(schema.release != NULL);
  schema.release(&schema);
  return data;
}

// A stream of some tables that fails after them, if it is to.
struct stream {
  int64_t tables, rows, next;
  int fails;
};

static int stream_schema(struct ArrowArrayStream* s, struct ArrowSchema* out) {
  (void)s;
  table_schema(out);
  return 0;
}

static int stream_next(struct ArrowArrayStream* s, struct ArrowArray* out) {
  struct stream* stream = s->private_data;
  memset(out, 0, sizeof *out);
  if (stream->tables-- > 0) {
    table_array(out, stream->rows, stream->next, 1);
    stream->next += stream->rows;
    return 0;
  }
  return stream->fails ? EIO : 0;
}

static const char* stream_error(struct ArrowArrayStream* s) {
  (void)s;
  return "the cable was pulled";
}

static void release_stream(struct ArrowArrayStream* s) {
  free(s->private_data);
  s->release = NULL;
  released++;
}

static void make_stream(struct ArrowArrayStream* out, int64_t tables, int64_t rows, int fails) {
  struct stream* stream = calloc(1, sizeof *stream);
  stream->tables = tables;
  stream->rows = rows;
  stream->fails = fails;
  *out = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, release_stream, stream};
}

// ---- Tests ----

static const struct arrowsort_key by_number = {.path = "number"};
static const struct arrowsort_key from_above = {.path = "number", .descending = 1};

static void* release_on_thread(void* array) {
  ((struct ArrowArray*)array)->release(array);
  return NULL;
}

static void test_sort(void) {
  released = 0;
  arrowsort_data data = new_table(1000, 0, 1), sorted = 0, indices = 0;
  OK(arrowsort_sort(data, &from_above, 1, NULL, &sorted, &failure));
  struct ArrowArray array;
  struct ArrowSchema schema;
  OK(arrowsort_export_array(sorted, &array, &schema, &failure));
  arrowsort_data_free(sorted);
  CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 2);
  CHECK(strcmp(schema.children[1]->name, "word") == 0 && strcmp(schema.children[1]->format, "u") == 0);
  schema.release(&schema);
  const int64_t* numbers = array.children[0]->buffers[1];
  const int32_t* offsets = array.children[1]->buffers[1];
  const char* bytes = array.children[1]->buffers[2];
  for (int64_t i = 0; i < 1000; i++) {
    char want[24];
    int length = sprintf(want, "%" PRId64, 999 - i);
    CHECK(numbers[array.children[0]->offset + i] == 999 - i);
    CHECK(offsets[i + 1] - offsets[i] == length && memcmp(bytes + offsets[i], want, length) == 0);
  }
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, release_on_thread, &array) == 0);
  pthread_join(thread, NULL);

  OK(arrowsort_sort_indices(data, &from_above, 1, 32, NULL, &indices, &failure));
  OK(arrowsort_export_array(indices, &array, &schema, &failure));
  CHECK(strcmp(schema.format, "I") == 0 && ((const uint32_t*)array.buffers[1])[0] == 999);
  schema.release(&schema);
  array.release(&array);
  arrowsort_data_free(indices);
  CHECK(released == 3);  // schemas of the input
  arrowsort_data_free(data);
  CHECK(released == 6);  // and its arrays
}

// test_addresses: what goes in comes out at the same addresses, and is held until it is released.
static void test_addresses(void) {
  released = 0;
  struct ArrowArray in, out;
  struct ArrowSchema schema, out_schema;
  arrowsort_data data;
  table_array(&in, 100, 5, 2);
  const void *numbers = in.children[0]->buffers[1], *offsets = in.children[1]->buffers[1],
             *bytes = in.children[1]->buffers[2];
  table_schema(&schema);
  OK(arrowsort_import_array(&in, &schema, 0, &data, &failure));
  OK(arrowsort_export_array(data, &out, &out_schema, &failure));
  arrowsort_data_free(data);
  CHECK(out.children[0]->buffers[1] == numbers && out.children[0]->buffers[0] == NULL);
  CHECK(out.children[1]->buffers[1] == offsets && out.children[1]->buffers[2] == bytes);
  struct ArrowArray child = *out.children[0];  // moved out
  out.children[0]->release = NULL;
  out.release(&out);
  CHECK(released == 0 && ((const int64_t*)child.buffers[1])[3] == 11);
  child.release(&child);
  CHECK(released == 3);
  schema.release(&schema);
  out_schema.release(&out_schema);
}

static void test_errors(void) {
  released = 0;
  arrowsort_data data = new_table(10, 0, 1), out = 0;
  const struct arrowsort_key nothing = {.path = "nothing"};
  FAILED(arrowsort_sort(data, &nothing, 1, NULL, &out, &failure), ARROWSORT_COLUMN, "ErrColumn");
  FAILED(arrowsort_sort(data, NULL, 0, NULL, &out, &failure), ARROWSORT_NO_KEYS, "ErrNoKeys");
  FAILED(arrowsort_sort(data, NULL, 1, NULL, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_sort(data, &by_number, 1, NULL, NULL, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_sort(0, &by_number, 1, NULL, &out, &failure), ARROWSORT_HANDLE, "ErrHandle");
  CHECK(arrowsort_sort(data, &nothing, 1, NULL, &out, NULL) == ARROWSORT_COLUMN);
  CHECK(out == 0);
  FAILED(arrowsort_export_stream(data, NULL, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_export_array(data, NULL, NULL, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_import_array(NULL, NULL, 0, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_import_stream(NULL, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  arrowsort_data_free(data);
  CHECK(released == 6);

  struct ArrowArray array;
  struct ArrowSchema schema;
  table_schema(&schema);
  table_array(&array, 10, 0, 1);
  array.children[1]->n_buffers = 2;  // the third one, the bytes, is not known any more
  free((void*)array.children[1]->buffers[2]);
  FAILED(arrowsort_import_array(&array, &schema, 0, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  CHECK(array.release == NULL && released == 9);
  FAILED(arrowsort_import_array(&array, &schema, 0, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  table_array(&array, 10, 0, 1);
  FAILED(arrowsort_import_array(&array, NULL, 0, &out, &failure), ARROWSORT_OPTION, "ErrOption");
  CHECK(array.release == NULL && released == 12);
  schema.release(&schema);
  struct ArrowSchema unknown;
  make_schema(&unknown, "d:9,2,32", "price", 0);
  table_array(&array, 10, 0, 1);
  FAILED(arrowsort_import_array(&array, &unknown, 0, &out, &failure), ARROWSORT_UNSUPPORTED, "ErrUnsupported");
  CHECK(array.release == NULL);
  unknown.release(&unknown);
}

static void test_streams(void) {
  released = 0;
  struct ArrowArrayStream in, out;
  arrowsort_data data = 0;
  make_stream(&in, 5, 20, 0);
  OK(arrowsort_import_stream(&in, &data, &failure));
  CHECK(in.release == NULL);
  int64_t rows = 0;
  OK(arrowsort_rows(data, &rows, &failure));
  CHECK(rows == 100);
  arrowsort_data_free(data);
  CHECK(released == 1 + 3 + 5 * 3);
  make_stream(&in, 2, 20, 1);
  FAILED(arrowsort_import_stream(&in, &data, &failure), ARROWSORT_STREAM, "ErrStream");
  CHECK(in.release == NULL);

  released = 0;
  struct ArrowArrayStream first, second, *both[2] = {&first, &second};
  make_stream(&first, 3, 20, 0);
  make_stream(&second, 2, 20, 1);
  OK(arrowsort_merge_streams(both, 2, &by_number, 1, NULL, &out, &failure));
  struct ArrowArray array;
  int code;
  while ((code = out.get_next(&out, &array)) == 0 && array.release) array.release(&array);
  CHECK(code != 0 && strstr(out.get_last_error(&out), "the cable was pulled"));
  FAILED(arrowsort_stream_error(&out, &failure), ARROWSORT_STREAM, "ErrStream");
  CHECK(out.get_next(&out, &array) == code);
  out.release(&out);
  CHECK(out.release == NULL && released == 2 + 2 * 3 + 5 * 3);

  make_stream(&in, 50, 200, 0);
  OK(arrowsort_sort_stream(&in, &from_above, 1, NULL, &out, &failure));
  OK(arrowsort_import_stream(&out, &data, &failure));
  int64_t row;
  OK(arrowsort_is_sorted(data, &from_above, 1, NULL, &row, &failure));
  CHECK(row == -1);
  OK(arrowsort_is_sorted(data, &by_number, 1, NULL, &row, &failure));
  CHECK(row == 1);
  arrowsort_data_free(data);
}

static void test_empty(void) {
  arrowsort_data data = new_table(0, 0, 0), sorted;
  OK(arrowsort_sort(data, &by_number, 1, NULL, &sorted, &failure));
  struct ArrowArray array;
  struct ArrowSchema schema;
  OK(arrowsort_export_array(sorted, &array, &schema, &failure));
  CHECK(array.length == 0 && array.children[1]->buffers[1] != NULL);
  array.release(&array);
  schema.release(&schema);
  arrowsort_data_free(sorted);
  arrowsort_data_free(data);
}

static void test_cancel(void) {
  arrowsort_data data = new_table(100000, 0, 1), sorted;
  struct arrowsort_options options = {.size = sizeof options, .call = arrowsort_call_new()};
  struct arrowsort_progress progress;
  OK(arrowsort_sort(data, &from_above, 1, &options, &sorted, &failure));
  OK(arrowsort_call_progress(options.call, &progress, &failure));
  CHECK(progress.done > 0 && progress.done == progress.total);
  arrowsort_data_free(sorted);
  OK(arrowsort_cancel(options.call, &failure));
  FAILED(arrowsort_sort(data, &from_above, 1, &options, &sorted, &failure), ARROWSORT_CANCELLED, "Canceled");
  arrowsort_call_free(options.call);
  arrowsort_data_free(data);
}

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_files(void) {
  char* report = NULL;
  FAILED(arrowsort_files("{", 0, &report, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"check\",\"inputs\":[\"/nowhere.parquet\"],\"key\":\"a\"}", 0, &report,
                         &failure),
         ARROWSORT_NOT_FOUND, "ErrNotExist");
  FAILED(arrowsort_files(NULL, 0, &report, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"info\"}", 0, NULL, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"rm\"}", 0, &report, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"help\"}", 0, &report, &failure), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"completion\",\"inputs\":[\"bash\"]}", 0, &report, &failure), ARROWSORT_OPTION,
         "ErrOption");
  FAILED(arrowsort_files("{\"command\":\"sort\"}", 0, &report, &failure), ARROWSORT_OPTION, "ErrOption");
  OK(arrowsort_files("{\"command\":\"info\"}", 0, &report, &failure));
  CHECK(strstr(report, "\"engines\""));
  arrowsort_text_free(report);

  char folder[] = P_tmpdir "/arrowsort-test-XXXXXX";
  CHECK(mkdtemp(folder) && chdir(folder) == 0);
  write_text("in.csv", "n,word\n3,three\n1,one\n2,two\n");
  const char* sort =
      "{\"command\":\"sort\",\"inputs\":[\"in.csv\"],\"key\":\"n\",\"output\":\"out.csv\",\"limit\":2}";
  OK(arrowsort_files(sort, 0, &report, &failure));
  CHECK(strstr(report, "\"rows\":3,\"rows_out\":2"));
  arrowsort_text_free(report);
  FILE* out = fopen("out.csv", "r");
  char text[100];
  CHECK(out && fread(text, 1, sizeof text, out) == 19 && memcmp(text, "n,word\n1,one\n2,two\n", 19) == 0);
  fclose(out);
  OK(arrowsort_files("{\"command\":\"check\",\"inputs\":[\"in.csv\"],\"key\":\"n\"}", 0, &report, &failure));
  CHECK(strstr(report, "\"sorted\":false,\"first_bad_row\":1"));
  arrowsort_text_free(report);
  write_text("broken.parquet", "PAR1\1\2\3\4\5\6\7\1PAR1");
  FAILED(arrowsort_files("{\"command\":\"check\",\"inputs\":[\"broken.parquet\"],\"key\":\"n\"}", 0, &report, &failure),
         ARROWSORT_CORRUPT, "ErrCorrupt");
  FAILED(arrowsort_files("{\"command\":\"merge\",\"inputs\":[\"in.csv\"],\"key\":\"n\",\"output\":\"out.csv\"}", 0,
                         &report, &failure),
         ARROWSORT_UNSORTED, "ErrUnsorted");
  FAILED(arrowsort_files("{\"command\":\"sort\",\"inputs\":[\"in.csv\"],\"key\":\"n\",\"outptu\":\"out.csv\"}", 0,
                         &report, &failure),
         ARROWSORT_OPTION, "ErrOption");
  arrowsort_call call = arrowsort_call_new();
  OK(arrowsort_files(sort, call, &report, &failure));
  arrowsort_text_free(report);
  struct arrowsort_progress progress;
  OK(arrowsort_call_progress(call, &progress, &failure));
  CHECK(*progress.phase);
  OK(arrowsort_cancel(call, &failure));
  FAILED(arrowsort_files(sort, call, &report, &failure), ARROWSORT_CANCELLED, "Canceled");
  arrowsort_call_free(call);
  const char* const version[] = {"arrowsort", "--version"};
  CHECK(arrowsort_main(2, version) == 0);
  CHECK(unlink("in.csv") == 0 && unlink("out.csv") == 0 && unlink("broken.parquet") == 0 && rmdir(folder) == 0);
}

// test_fork: in a fork every function returns an error, and what the parent made can be released.
static void test_fork(void) {
  arrowsort_data data = new_table(10, 0, 1), sorted;
  struct ArrowArray array;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream, in;
  OK(arrowsort_export_array(data, &array, &schema, &failure));
  OK(arrowsort_export_stream(data, &stream, &failure));
  make_stream(&in, 1, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    FAILED(arrowsort_sort(data, &by_number, 1, NULL, &sorted, &failure), ARROWSORT_FORKED, "ErrForked");
    FAILED(arrowsort_import_stream(&in, &sorted, &failure), ARROWSORT_FORKED, "ErrForked");
    struct ArrowDeviceArray rows;
    FAILED(arrowsort_device_argsort(NULL, NULL, NULL, 0, 64, NULL, NULL, &rows, &failure), ARROWSORT_FORKED,
           "ErrForked");
    CHECK(in.release == NULL);
    struct ArrowArray next;
    CHECK(stream.get_next(&stream, &next) == EPERM && strstr(stream.get_last_error(&stream), "fork"));
    stream.release(&stream);
    array.release(&array);
    schema.release(&schema);
    arrowsort_data_free(data);
    CHECK(arrowsort_call_new() == 0);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  in.release(&in);
  stream.release(&stream);
  array.release(&array);
  schema.release(&schema);
  arrowsort_data_free(data);
}

// test_device: arrays that no GPU can sort, and one that needs a library with the GPU engine.
static void test_device(void) {
  const void* buffers[2] = {NULL, (void*)0x1000};
  struct ArrowSchema schema = {.format = "l", .release = release_schema};
  struct ArrowDeviceArray array = {.device_type = ARROW_DEVICE_CUDA}, rows = {0};
  array.array = (struct ArrowArray){.length = 3, .n_buffers = 2, .buffers = buffers, .release = release_array};
#define ARGSORT(array, bits, options) \
  arrowsort_device_argsort(array, &schema, NULL, 0, bits, NULL, options, &rows, &failure)
  FAILED(ARGSORT(NULL, 64, NULL), ARROWSORT_OPTION, "ErrOption");
  FAILED(ARGSORT(&array, 16, NULL), ARROWSORT_OPTION, "ErrOption");
  FAILED(arrowsort_device_argsort(&array, &schema, NULL, 0, 64, NULL, NULL, NULL, &failure), ARROWSORT_OPTION,
         "ErrOption");
  FAILED(arrowsort_device_argsort(&array, &schema, &by_number, 1, 64, NULL, NULL, &rows, &failure), ARROWSORT_COLUMN,
         "ErrColumn");
  struct arrowsort_options wrong[] = {
      {.memory = 1}, {.engine = "gpu"}, {.batch_rows = 1}, {.limit = -1}, {.unique = 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    wrong[i].size = sizeof *wrong;
    FAILED(ARGSORT(&array, 64, &wrong[i]), ARROWSORT_OPTION, "ErrOption");
  }
  array.device_type = ARROW_DEVICE_CPU;
  FAILED(ARGSORT(&array, 64, NULL), ARROWSORT_OPTION, "ErrOption");
  array.device_type = ARROW_DEVICE_CUDA;
  schema.format = "u";
  FAILED(ARGSORT(&array, 64, NULL), ARROWSORT_KEY_TYPE, "ErrKeyType");
  schema.format = "l";
  FAILED(ARGSORT(&array, 64, NULL), ARROWSORT_DEVICE, "ErrDevice");
  array.array.release = NULL;
  FAILED(ARGSORT(&array, 64, NULL), ARROWSORT_OPTION, "ErrOption");
  CHECK(rows.array.release == NULL);
#define SORT(keys, n_keys, options) \
  arrowsort_device_sort(&array, &schema, keys, n_keys, NULL, options, &rows, &failure)
  FAILED(SORT(NULL, 0, NULL), ARROWSORT_OPTION, "ErrOption");
  array.array.release = release_array;
  FAILED(arrowsort_device_argsort_into(&array, &schema, NULL, 0, 64, NULL, NULL, NULL, &failure), ARROWSORT_OPTION,
         "ErrOption");
  array.array.length = 0;  // without rows there need be no memory
  FAILED(arrowsort_device_argsort_into(&array, &schema, NULL, 0, 64, NULL, NULL, NULL, &failure), ARROWSORT_DEVICE,
         "ErrDevice");
  array.array.length = 3;
  FAILED(SORT(&by_number, 1, NULL), ARROWSORT_COLUMN, "ErrColumn");
  FAILED(SORT(NULL, 0, &wrong[0]), ARROWSORT_OPTION, "ErrOption");
  schema.format = "u";
  FAILED(SORT(NULL, 0, NULL), ARROWSORT_KEY_TYPE, "ErrKeyType");
  schema.format = "l";
  FAILED(SORT(NULL, 0, NULL), ARROWSORT_DEVICE, "ErrDevice");
  FAILED(arrowsort_device_sort(&array, &schema, NULL, 0, NULL, NULL, NULL, &failure), ARROWSORT_OPTION, "ErrOption");
  CHECK(rows.array.release == NULL);
}

static void on_signal(int number) { (void)number; }

// test_signals: the handlers of the program stay.
static void test_signals(void) {
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPROF, SIGCHLD, SIGUSR1, SIGALRM};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction mine = {.sa_handler = on_signal}, found;
    sigaction(numbers[i], &mine, NULL);
    arrowsort_data data = new_table(1000, 0, 1), sorted;
    OK(arrowsort_sort(data, &from_above, 1, NULL, &sorted, &failure));
    arrowsort_data_free(sorted);
    arrowsort_data_free(data);
    sigaction(numbers[i], NULL, &found);
    CHECK(found.sa_handler == on_signal);
  }
}

int main(void) {
  CHECK(arrowsort_abi() == ARROWSORT_ABI);
  CHECK(arrowsort_version() && *arrowsort_version());
  test_sort();
  test_addresses();
  test_errors();
  test_streams();
  test_empty();
  test_cancel();
  test_device();
  test_signals();
  test_fork();
  test_files();
  CHECK(arrowsort_allocated() == 0);
  return 0;
}
