// A C++ program with nanoarrow, the small library of the Arrow project: it builds a table, sorts and merges it, reads
// the results with nanoarrow's full validation, and reads errors. It prints what went wrong and returns 1, or nothing
// and 0.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "arrowsort.h"
#include "nanoarrow/nanoarrow.hpp"

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

struct Error : arrowsort_error {
  Error() : arrowsort_error{} {}
  ~Error() { arrowsort_error_free(this); }
};

struct Data {
  arrowsort_data handle = 0;
  ~Data() { arrowsort_data_free(handle); }
};

static void ok(int32_t code, const Error& error) {
  if (code == ARROWSORT_OK) return;
  std::fprintf(stderr, "%s: %s\n", error.name, error.message);
  std::exit(1);
}

// table makes a stream of one record: "number" counts down from rows-1, "word" is it as text, and null for each third.
static nanoarrow::UniqueArrayStream table(int64_t rows, int64_t step) {
  nanoarrow::UniqueSchema schema;
  ArrowSchemaInit(schema.get());
  CHECK(ArrowSchemaSetTypeStruct(schema.get(), 2) == NANOARROW_OK);
  CHECK(ArrowSchemaSetType(schema->children[0], NANOARROW_TYPE_INT64) == NANOARROW_OK);
  CHECK(ArrowSchemaSetName(schema->children[0], "number") == NANOARROW_OK);
  CHECK(ArrowSchemaSetType(schema->children[1], NANOARROW_TYPE_STRING) == NANOARROW_OK);
  CHECK(ArrowSchemaSetName(schema->children[1], "word") == NANOARROW_OK);
  nanoarrow::UniqueArray array;
  CHECK(ArrowArrayInitFromSchema(array.get(), schema.get(), nullptr) == NANOARROW_OK);
  CHECK(ArrowArrayStartAppending(array.get()) == NANOARROW_OK);
  for (int64_t i = 0; i < rows; i++) {
    int64_t number = step > 0 ? i : rows - 1 - i;
    std::string word = std::to_string(number);
    CHECK(ArrowArrayAppendInt(array->children[0], number) == NANOARROW_OK);
    if (number % 3 == 0) {
      CHECK(ArrowArrayAppendNull(array->children[1], 1) == NANOARROW_OK);
    } else {
      CHECK(ArrowArrayAppendString(array->children[1], {word.data(), (int64_t)word.size()}) == NANOARROW_OK);
    }
    CHECK(ArrowArrayFinishElement(array.get()) == NANOARROW_OK);
  }
  CHECK(ArrowArrayFinishBuildingDefault(array.get(), nullptr) == NANOARROW_OK);
  nanoarrow::UniqueArrayStream stream;
  CHECK(ArrowBasicArrayStreamInit(stream.get(), schema.get(), 1) == NANOARROW_OK);
  ArrowBasicArrayStreamSetArray(stream.get(), 0, array.get());
  return stream;
}

// require_rows reads a stream whose row i has the number i/copies.
static void require_rows(ArrowArrayStream* stream, int64_t rows, int64_t copies) {
  nanoarrow::UniqueSchema schema;
  CHECK(stream->get_schema(stream, schema.get()) == 0);
  int64_t row = 0;
  for (;;) {
    nanoarrow::UniqueArray array;
    int code = stream->get_next(stream, array.get());
    if (code != 0) std::fprintf(stderr, "%s\n", stream->get_last_error(stream));
    CHECK(code == 0);
    if (!array->release) break;
    nanoarrow::UniqueArrayView view;
    ArrowError error;
    CHECK(ArrowArrayViewInitFromSchema(view.get(), schema.get(), &error) == NANOARROW_OK);
    CHECK(ArrowArrayViewSetArray(view.get(), array.get(), &error) == NANOARROW_OK);
    CHECK(ArrowArrayViewValidate(view.get(), NANOARROW_VALIDATION_LEVEL_FULL, &error) == NANOARROW_OK);
    for (int64_t i = 0; i < array->length; i++, row++) {
      int64_t number = row / copies;
      CHECK(ArrowArrayViewGetIntUnsafe(view->children[0], i) == number);
      CHECK(ArrowArrayViewIsNull(view->children[1], i) == (number % 3 == 0));
      if (number % 3 == 0) continue;
      ArrowStringView word = ArrowArrayViewGetStringUnsafe(view->children[1], i);
      CHECK(std::string(word.data, word.size_bytes) == std::to_string(number));
    }
  }
  CHECK(row == rows);
}

int main() {
  const int64_t rows = 10000;
  arrowsort_key by_number{}, nothing{};
  by_number.path = "number";
  nothing.path = "nothing";
  {
    Error error;
    Data data, sorted, never;
    nanoarrow::UniqueArrayStream in = table(rows, -1), out;
    ok(arrowsort_import_stream(in.get(), &data.handle, &error), error);
    CHECK(in->release == nullptr);
    ok(arrowsort_sort(data.handle, &by_number, 1, nullptr, &sorted.handle, &error), error);
    ok(arrowsort_export_stream(sorted.handle, out.get(), &error), error);
    require_rows(out.get(), rows, 1);
    CHECK(arrowsort_sort(data.handle, &nothing, 1, nullptr, &never.handle, &error) == ARROWSORT_COLUMN);
    CHECK(std::string(error.name) == "ErrColumn");
  }
  {
    Error error;
    std::vector<nanoarrow::UniqueArrayStream> inputs;
    std::vector<ArrowArrayStream*> pointers;
    for (int i = 0; i < 3; i++) inputs.push_back(table(rows, 1));
    for (auto& input : inputs) pointers.push_back(input.get());
    nanoarrow::UniqueArrayStream out;
    ok(arrowsort_merge_streams(pointers.data(), 3, &by_number, 1, nullptr, out.get(), &error), error);
    require_rows(out.get(), 3 * rows, 3);
  }
  {
    Error error;
    nanoarrow::UniqueArrayStream in = table(rows, -1), out;
    ok(arrowsort_sort_stream(in.get(), &by_number, 1, nullptr, out.get(), &error), error);
    require_rows(out.get(), rows, 1);
  }
  {
    Error error;  // a merge of rows that are not in order fails while it is read
    nanoarrow::UniqueArrayStream in = table(rows, -1), out;
    ArrowArrayStream* pointers[] = {in.get()};
    ok(arrowsort_merge_streams(pointers, 1, &by_number, 1, nullptr, out.get(), &error), error);
    nanoarrow::UniqueArray array;
    CHECK(out->get_next(out.get(), array.get()) != 0);
    CHECK(arrowsort_stream_error(out.get(), &error) == ARROWSORT_UNSORTED);
  }
  CHECK(arrowsort_allocated() == 0);
  return 0;
}
