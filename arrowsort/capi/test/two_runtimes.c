// A C program with two libraries that hold a Go runtime each: both work at the same time, on two threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrowsort.h"

int second_work(int n);

enum { rounds = 50, rows = 100000 };

static void release_array(struct ArrowArray* array) {
  free((void*)array->buffers[1]);
  free(array->buffers);
  array->release = NULL;
}

static void release_schema(struct ArrowSchema* schema) { schema->release = NULL; }

static void* sort(void* failed) {
  for (int round = 0; round < rounds; round++) {
    int64_t* values = malloc(rows * sizeof *values);
    for (int i = 0; i < rows; i++) values[i] = (int64_t)i * 7919 % rows;
    struct ArrowSchema schema = {.format = "l", .name = "", .release = release_schema};
    struct ArrowArray array = {.length = rows, .n_buffers = 2, .release = release_array};
    array.buffers = calloc(2, sizeof(void*));
    array.buffers[1] = values;
    struct arrowsort_error error = {0};
    arrowsort_data data = 0, sorted = 0;
    int64_t row = 0;
    if (arrowsort_import_array(&array, &schema, 0, &data, &error) ||
        arrowsort_sort(data, NULL, 0, NULL, &sorted, &error) ||
        arrowsort_is_sorted(sorted, NULL, 0, NULL, &row, &error) || row != -1)
      *(int*)failed = 1;
    arrowsort_error_free(&error);
    arrowsort_data_free(sorted);
    arrowsort_data_free(data);
  }
  return NULL;
}

int main(void) {
  int failed = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, sort, &failed)) return 1;
  for (int round = 0; round < rounds; round++) failed |= second_work(rows) != rows;
  pthread_join(thread, NULL);
  if (failed) fprintf(stderr, "a call failed\n");
  return failed;
}
