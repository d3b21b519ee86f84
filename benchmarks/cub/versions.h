// The sorts of CUB's versions that the comparison has: theirs_versions.cu is compiled once for each, with its headers.
#pragma once
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

// A CubVersion is what is compiled of one version. Without temp, both set the bytes that they need.
typedef struct {
	int number; // CUB_VERSION
	// Leaves the sorted keys and rows in keys[0] and rows[0].
	void (*sort)(int width, void* keys[2], uint32_t* rows[2], uint32_t n, void* temp, size_t* bytes,
	             cudaStream_t stream);
	void (*sort_keys)(int width, void* keys[2], uint32_t n, void* temp, size_t* bytes, cudaStream_t stream);
	// The rows of the k least keys, in any order, with keys[1] and rows[1] as output; NULL in versions without it.
	void (*topk)(int width, void* keys[2], uint32_t* rows[2], uint32_t n, uint32_t k, void* temp, size_t* bytes,
	             cudaStream_t stream);
} CubVersion;

extern "C" const CubVersion cub_pinned, cub_newest;
