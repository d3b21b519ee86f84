// CUB's sort in one version, CUB_ENTRY. Apart from the other kernels, whose constants have names that CUB uses too.
// The build defines CUB_WRAPPED_NAMESPACE, so that the versions do not share symbols.
#include "versions.h"
#include <cub/cub.cuh>
#include <stdio.h>
#include <stdlib.h>

namespace cub_of = CUB_NS_QUALIFIER;

static void must(cudaError_t e) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "CUB %d: %s\n", CUB_VERSION, cudaGetErrorString(e));
	exit(3);
}

template <class K>
static void sort_pairs(void* keys[2], uint32_t* rows[2], uint32_t n, void* temp, size_t* bytes, cudaStream_t stream) {
	cub_of::DoubleBuffer<K> k((K*)keys[0], (K*)keys[1]);
	cub_of::DoubleBuffer<uint32_t> r(rows[0], rows[1]);
	must(cub_of::DeviceRadixSort::SortPairs(temp, *bytes, k, r, (int)n, 0, 8 * sizeof(K), stream));
	keys[0] = k.Current(), keys[1] = k.Alternate();
	rows[0] = r.Current(), rows[1] = r.Alternate();
}

static void sort_any(int width, void* keys[2], uint32_t* rows[2], uint32_t n, void* temp, size_t* bytes,
                     cudaStream_t stream) {
	(width == 2   ? sort_pairs<uint16_t>
	 : width == 4 ? sort_pairs<uint32_t>
	              : sort_pairs<uint64_t>)(keys, rows, n, temp, bytes, stream);
}

template <class K>
static void sort_alone(void* keys[2], uint32_t n, void* temp, size_t* bytes, cudaStream_t stream) {
	cub_of::DoubleBuffer<K> k((K*)keys[0], (K*)keys[1]);
	must(cub_of::DeviceRadixSort::SortKeys(temp, *bytes, k, (int)n, 0, 8 * sizeof(K), stream));
}

static void sort_keys(int width, void* keys[2], uint32_t n, void* temp, size_t* bytes, cudaStream_t stream) {
	(width == 4 ? sort_alone<uint32_t> : sort_alone<uint64_t>)(keys, n, temp, bytes, stream);
}

#if CUB_VERSION >= 300500
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#include <cuda/stream_ref>

template <class K>
static void topk_pairs(void* keys[2], uint32_t* rows[2], uint32_t n, uint32_t k, void* temp, size_t* bytes,
                       cudaStream_t stream) {
	auto any = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
	                                    cuda::execution::output_ordering::unsorted);
	auto in = cuda::std::execution::env{cuda::stream_ref{stream}, any};
	cuda::counting_iterator<uint32_t> all(0);
	must(cub_of::DeviceTopK::MinPairs(temp, *bytes, (const K*)keys[0], (K*)keys[1], all, rows[1], n, k, in));
}

static void topk_any(int width, void* keys[2], uint32_t* rows[2], uint32_t n, uint32_t k, void* temp, size_t* bytes,
                     cudaStream_t stream) {
	(width == 4 ? topk_pairs<uint32_t> : topk_pairs<uint64_t>)(keys, rows, n, k, temp, bytes, stream);
}
#else
static decltype(CubVersion::topk) const topk_any = nullptr;
#endif

extern "C" const CubVersion CUB_ENTRY = {CUB_VERSION, sort_any, sort_keys, topk_any};
