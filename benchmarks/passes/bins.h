// Where records go: borders of bins, counts of bins, memory of chains, and the sections of a pass.
#pragma once
#include "keys.h"

// Sets of 255 borders each, quantiles of samples, on the device.
struct BorderSets {
	Borders function;

	static void order(const Pair* sorted, u32 words[256]) {
		u32 next = 0;
		place(sorted, words, 1, &next);
		words[0] = 0;
	}
	static BorderSets of(std::vector<Pair> sample, u32 sets) {
		u32 rows = (u32)(sample.size() / sets);
		std::vector<Pair> pairs(sets * 255);
		std::vector<u32> words(sets * 256);
		for (u32 s = 0; s < sets; s++) {
			auto from = sample.begin() + s * rows;
			std::sort(from, from + rows);
			for (u32 i = 1; i < 256; i++) pairs[s * 255 + i - 1] = from[(u64)rows * i / 256];
			order(&pairs[s * 255], &words[s * 256]);
		}
		Pair* p = allocate<Pair>(pairs.size());
		u32* w = allocate<u32>(words.size());
		::write(p, pairs), ::write(w, words);
		return {{w, p}};
	}
	void release() {
		CHECK(cudaFree((void*)function.leading));
		CHECK(cudaFree((void*)function.sorted));
	}

private:
	static void place(const Pair* sorted, u32* words, u32 at, u32* next) {
		if (at >= 256) return;
		place(sorted, words, 2 * at, next);
		words[at] = (u32)(sorted[(*next)++].number >> 32);
		place(sorted, words, 2 * at + 1, next);
	}
};

template <class Function> __global__ void count_records(Records in, const Section* sections, Function f, u32* counts) {
	__shared__ u32 search[256];
	__shared__ Pair pairs[255];
	Section s = sections[block_index()];
	f.load(search, pairs, s.bin);
	sync_block();
	for (u32 i = thread_index(); i < s.count; i += block_threads()) {
		u64 x = in.words[s.first + i];
		auto row = [&] { return in.rows ? in.rows[s.first + i] : (u32)x; };
		atomic_add(counts + s.bin * 256 + f.bin(x, row, search, pairs), 1u);
	}
}
template <class Word, Format format, class Function>
__global__ void count_rows(const Word* keys, u32 n, Function f, u32* counts) {
	__shared__ u32 search[256];
	__shared__ Pair pairs[255];
	f.load(search, pairs, 0);
	sync_block();
	for (u32 i = block_index() * block_threads() + thread_index(); i < n; i += grid_blocks() * block_threads()) {
		u64 wide = (u64)keys[i] << (64 - 8 * sizeof(Word));
		u64 word = format == C8 ? (wide & ~0ull << 28) | i : wide;
		atomic_add(counts + f.bin(word, [&] { return i; }, search, pairs), 1u);
	}
}
__global__ void clear_chains(u64* cursors, u32* spare, u32* table, u32 stride, int shift, u32 chains, u32* opened) {
	u32 i = block_index() * block_threads() + thread_index();
	if (i < chains) cursors[i] = (u64)i << shift, spare[i] = NO_PAGE, table[(u64)i * stride] = i;
	if (i == 0) *opened = chains;
}
template <int shift> struct ChainMemory {
	Chains<shift> chains;
	u32 count, stride, pages;

	ChainMemory(u32 bins, u32 chainsOfBin, u32 size, u32 n, u32 stride)
	    : count(bins * chainsOfBin), stride(stride), pages(n / size + 2 * count + 4096) {
		chains = {allocate<u64>(count), allocate<u32>(count), allocate<u32>(1), allocate<u32>((size_t)count * stride),
		          stride, size, chainsOfBin};
	}
	void clear() {
		clear_chains<<<(count + 255) / 256, 256>>>(chains.cursors, chains.spare, chains.table, stride, shift, count,
		                                           chains.opened);
	}
	void release() {
		for (void* p : {(void*)chains.cursors, (void*)chains.spare, (void*)chains.opened, (void*)chains.table})
			CHECK(cudaFree(p));
	}
	// Sections of all chains: of up to `rows` records, one bin after the other.
	std::vector<Section> sections(u32 rows) const {
		std::vector<u64> cursors = read(chains.cursors, count);
		std::vector<u32> table = read(chains.table, (size_t)count * stride);
		std::vector<Section> all;
		for (u32 c = 0; c < count; c++) {
			u32 last = (u32)(cursors[c] >> 32) & Chains<shift>::sequenceMask, used = (u32)cursors[c];
			for (u32 i = 0; i <= last; i++) {
				u32 inPage = i < last ? chains.size : used, first = table[(size_t)c * stride + i] * chains.size;
				for (u32 at = 0; at < inPage; at += rows)
					all.push_back({first + at, std::min(rows, inPage - at), c / chains.chains});
			}
		}
		return all;
	}
};
// Deals sections from `at_once` bins in turns.
static std::vector<Section> deal(const std::vector<Section>& all, u32 atOnce) {
	std::vector<std::vector<Section>> bins(256);
	for (const Section& s : all) bins[s.bin].push_back(s);
	std::vector<Section> out;
	for (u32 first = 0; first < 256; first += atOnce) {
		for (size_t i = 0, before; before = out.size(), true; i++) {
			for (u32 b = first; b < first + atOnce; b++)
				if (i < bins[b].size()) out.push_back(bins[b][i]);
			if (out.size() == before) break;
		}
	}
	return out;
}
