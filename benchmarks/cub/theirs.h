// CUB's argsort: row numbers made up, then SortPairs with 32-bit num_items and a DoubleBuffer, on keys that are encoded
// already. Apart from the kernels, whose constants have names that CUB uses too.
#pragma once
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

struct Theirs {
	int width; // bytes of a key: 4 or 8
	void* keys[2];
	uint32_t* rows[2];
	void* temp;
	size_t bytes;

	Theirs(int width, size_t n);
	void sort(size_t n, cudaStream_t stream); // keys[0] holds the keys before; it is overwritten
	void release();
};
