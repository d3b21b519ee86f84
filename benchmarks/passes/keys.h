// Keys, and samples of them and of records.
#pragma once
#include "bench.h"
#include "scatter.h"

enum Kind { UNIFORM, SORTED, CONSTANT, VALUES, MORE_VALUES, KINDS };
static const char* kindNames[KINDS] = {"uniform", "sorted", "constant", "2^20 values", "2^24 values"};

static __host__ __device__ u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}
template <class Word> __global__ void make_keys(Word* keys, u32 n, int kind) {
	for (u32 i = block_index() * block_threads() + thread_index(); i < n; i += grid_blocks() * block_threads()) {
		u64 x = mix(i * 0x9e3779b97f4a7c15ull + 77);
		if (kind == SORTED) x = (u64)i * (~0ull / n);
		if (kind == CONSTANT) x = 0x4050607080901020ull;
		if (kind == VALUES || kind == MORE_VALUES) x = mix(x >> (kind == VALUES ? 44 : 40));
		keys[i] = (Word)(x >> (64 - 8 * sizeof(Word)));
	}
}
// Pairs of pseudo-random rows.
template <class Word> __global__ void draw(const Word* keys, u32 n, Pair* sample, u32 rows) {
	u32 i = block_index() * block_threads() + thread_index();
	if (i >= rows) return;
	u32 row = (u32)(((u64)i << 32 | (u32)mix(i)) / rows * n >> 32);
	sample[i] = {(u64)keys[row] << (64 - 8 * sizeof(Word)), row};
}
__global__ void draw_of_bins(Records in, Format format, const Section* sections, Pair* sample, u32 rows) {
	Section s = sections[block_index()];
	for (u32 i = thread_index(); i < rows; i += block_threads()) {
		u64 x = in.words[s.first + i % s.count];
		sample[block_index() * rows + i] = {x, format == R12 ? in.rows[s.first + i % s.count] : (u32)x};
	}
}

template <class Word> static std::vector<Pair> sample_of(const Word* keys, u32 n) {
	Pair* p = allocate<Pair>(n);
	draw<<<n / 256, 256>>>(keys, rows, p, n);
	std::vector<Pair> all = read(p, n);
	CHECK(cudaFree(p));
	return all;
}
// 8,192 records of each bin, from the first section of the bin that has as many.
static std::vector<Pair> sample_of_bins(Records in, Format format, const std::vector<Section>& sections) {
	const u32 each = 8192;
	std::vector<Section> first(256, Section{0, 1, 0});
	for (const Section& s : sections)
		if (s.count > first[s.bin].count) first[s.bin] = s;
	Section* list = allocate<Section>(256);
	write(list, first);
	Pair* p = allocate<Pair>(256 * each);
	draw_of_bins<<<256, 512>>>(in, format, list, p, each);
	std::vector<Pair> all = read(p, 256 * each);
	CHECK(cudaFree(p));
	CHECK(cudaFree(list));
	return all;
}
