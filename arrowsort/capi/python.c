//go:build capi

// Callbacks of the Python package, which others call also while an exception is pending: a function that fails drops
// its variables then, and with them the last reference to a capsule or an array. Python code would replace the
// exception, and not run to its end, so the exception is set aside meanwhile. No other program calls this.
#include <stdint.h>

// Functions of Python by their addresses, as the library is not linked with it.
struct python {
  void (*fetch)(void** type, void** value, void** traceback);   // PyErr_Fetch
  void (*restore)(void* type, void* value, void* traceback);    // PyErr_Restore
  int (*ensure)(void);                                          // PyGILState_Ensure
  void (*release)(int state);                                   // PyGILState_Release
};

static struct python python;
static void (*callbacks[8])(void*);

static void call(int number, void* argument) {
  void *type, *value, *traceback;
  int state = python.ensure();
  python.fetch(&type, &value, &traceback);
  callbacks[number](argument);
  python.restore(type, value, traceback);
  python.release(state);
}

#define CALL(number) \
  static void call_##number(void* argument) { call(number, argument); }
CALL(0) CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7)

static void (*const calls[])(void*) = {call_0, call_1, call_2, call_3, call_4, call_5, call_6, call_7};

// arrowsort_python_callback returns the address of a function that calls a callback, which gets a number below 8.
uintptr_t arrowsort_python_callback(int32_t number, const struct python* functions, void (*callback)(void*)) {
  python = *functions;
  callbacks[number] = callback;
  return (uintptr_t)calls[number];
}
