//go:build cuda && linux && amd64

// Every function of the CUDA driver as a jump through a pointer, so that a program starts on machines without the
// driver. arrowsort_open_driver fills the pointers from libcuda.so.1; until then, and without it, every call returns
// that there is no device.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

static int no_device(void) { return 100; } // CUDA_ERROR_NO_DEVICE
static int not_found(void) { return 500; } // CUDA_ERROR_NOT_FOUND: the driver is older than the function

// Hidden, so that the jump reaches the pointer relative to itself in any kind of program.
#define SYMBOL(name) \
	__attribute__((visibility("hidden"))) void *entry_##name = (void *)no_device; \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n\tjmp *entry_" #name "(%rip)\n");
#include "symbols.h"
#undef SYMBOL

static const struct {
	const char *name;
	void **entry;
} symbols[] = {
#define SYMBOL(name) {#name, &entry_##name},
#include "symbols.h"
#undef SYMBOL
};

// gorgonia.org/cu calls cuInit when the program starts and ends the program if that fails. The driver starts when a
// device is asked for, not before: it takes a moment that a sort on the processor need not wait for.
int cuInit(unsigned flags) {
	(void)flags;
	return 0;
}

// arrowsort_open_driver opens and starts the driver. It returns 0, or the driver's error, or -1 with the reason in why.
int arrowsort_open_driver(char **why) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*init)(unsigned) = library != NULL ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
	if (init == NULL) {
		*why = strdup(dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *entry = dlsym(library, symbols[i].name);
		*symbols[i].entry = entry != NULL ? entry : (void *)not_found;
	}
	return init(0);
}
