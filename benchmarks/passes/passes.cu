// Measures the two passes of a partition whose bins are chains of pages, and proves every result: each record lies in
// the bin that its row belongs to, rows are a permutation, and numbers are those of the rows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "scatter.h"

#define CHECK(call) check(call, #call, __LINE__)
static void check(cudaError_t e, const char* call, int line) {
	if (e == cudaSuccess) return;
	printf("line %d: %s: %s\n", line, call, cudaGetErrorString(e));
	exit(1);
}

template <class T> static T* allocate(size_t n) {
	T* p;
	CHECK(cudaMalloc(&p, n * sizeof(T)));
	return p;
}
template <class T> static std::vector<T> read(const T* p, size_t n) {
	std::vector<T> out(n);
	CHECK(cudaMemcpy(out.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return out;
}
template <class T> static void write(T* p, const std::vector<T>& from) {
	CHECK(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

// Keys.

enum Kind { UNIFORM, SORTED, CONSTANT, VALUES, KINDS };
static const char* kindNames[KINDS] = {"uniform", "sorted", "constant", "2^20 values"};

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
		if (kind == VALUES) x = mix(x >> 44);
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

// Places of records.

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

// Proof.

// counts: rows that are wrong, rows in all.
template <class Word, Format format, class Function>
__global__ void prove(Records out, const Section* sections, Function f, bool second, const Word* keys, u32* bitmap,
                      u8* binOfRow, u32* counts) {
	__shared__ u32 search[256];
	__shared__ Pair pairs[255];
	Section s = sections[block_index()];
	f.load(search, pairs, second ? s.bin / 256 : 0);
	sync_block();
	u32 wrong = 0;
	for (u32 i = thread_index(); i < s.count; i += block_threads()) {
		u64 x = out.words[s.first + i];
		u32 row = format == R12 ? out.rows[s.first + i] : format == C8 ? (u32)x & ((1u << 28) - 1) : (u32)x;
		u64 number = (u64)keys[row] << (64 - 8 * sizeof(Word));
		wrong += format == R8 ? x >> 32 != number >> 32 : format == C8 ? x >> 28 != number >> 28 : x != number;
		auto rowOf = [&] { return format == R12 ? row : (u32)x; };
		wrong += f.bin(format == R8 && !second ? number : x, rowOf, search, pairs) != (s.bin & 255);
		if (second) wrong += binOfRow[row] != s.bin / 256;
		else binOfRow[row] = (u8)s.bin;
		wrong += atomic_or(bitmap + row / 32, 1u << row % 32) >> row % 32 & 1;
	}
	if (wrong) atomic_add(counts, wrong);
	if (thread_index() == 0) atomic_add(counts + 1, s.count);
}

template <class Reset, class Run> static float median(const Reset& reset, const Run& run) {
	cudaEvent_t from, to;
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	std::vector<float> times;
	for (int i = 0; i < 9; i++) {
		reset();
		CHECK(cudaEventRecord(from));
		run();
		CHECK(cudaEventRecord(to));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaGetLastError());
		float ms;
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i > 1) times.push_back(ms);
	}
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

static u32 rows; // a multiple of all tiles
static u32 *bitmap, *counters, *binCounts;
static u8* binOfRow;
static u32 spilled; // bytes of a thread, by the kernel of the next report
static bool failed;

// Prints a measurement, and what the proof has counted.
static void report(const char* what, float ms, u32 bytes, float exact, const u32* proved) {
	printf("%-58s %7.3f ms %6.2f TB/s", what, ms, (double)bytes * rows / ms / 1e9);
	if (exact > 0) printf("  %+5.1f %%", 100 * (ms / exact - 1));
	if (proved) {
		bool bad = proved[0] != 0 || proved[1] != rows;
		printf("  %u wrong%s", proved[0], bad ? " FAILED" : "");
		failed |= bad;
	}
	if (spilled) printf("  %u bytes spilled", spilled);
	printf("\n");
	fflush(stdout);
}

static std::vector<u32> prefix(const std::vector<u32>& counts) {
	std::vector<u32> starts(counts.size());
	for (size_t i = 1; i < counts.size(); i++) starts[i] = starts[i - 1] + counts[i - 1];
	return starts;
}

template <class Kernel> static void allow(Kernel* kernel, u32 bytes) {
	CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
	cudaFuncAttributes a;
	CHECK(cudaFuncGetAttributes(&a, kernel));
	spilled = (u32)a.localSizeBytes;
}

// A Run measures both passes for a column in a format.
template <class Word, int threads, int items, Format format> struct Run {
	static const int secondThreads = 512, secondItems = 16;
	const char* name;
	const Word* keys;
	Records bins, buckets; // memory of the output of either pass
	char text[160];

	const char* label(const char* pass, const char* how) {
		snprintf(text, sizeof text, "%s, %s pass, %s", name, pass, how);
		return text;
	}
	const char* label(u32 chains) {
		snprintf(text, sizeof text, "%s, first pass, %u chain%s a bin", name, chains, chains == 1 ? "" : "s");
		return text;
	}
	// Measures the passes by their functions. makeSecond makes that of the second pass from samples of the bins.
	template <class Function, class Second>
	void measure(const Function& f, bool second, const Second& makeSecond, const std::vector<u32>& chainsOfBin) {
		const u32 tile = threads * items, bytes = sizeof(Word) + (format == R12 ? 12 : 8);
		const u32 shared = Tile<threads, items, format, Function>::bytes;
		CHECK(cudaMemset(binCounts, 0, 4 * 65536));
		count_rows<Word, format><<<2048, 256>>>(keys, rows, f, binCounts);
		std::vector<u32> starts = prefix(read(binCounts, 256));
		auto exactly = first_pass<Word, threads, items, format, Function, Ranges>;
		allow(exactly, shared);
		float exact = median([&] { write(binCounts, starts); },
		                     [&] { exactly<<<rows / tile, threads, shared>>>(keys, bins, f, Ranges{binCounts}); });
		report(label("first", "known places"), exact, bytes, 0, nullptr);
		for (u32 k : chainsOfBin) {
			ChainMemory<48> memory(256, k, 65536 / k, rows, 16640);
			auto paged = first_pass<Word, threads, items, format, Function, Chains<48>>;
			allow(paged, shared);
			float ms = median([&] { memory.clear(); },
			                  [&] { paged<<<rows / tile, threads, shared>>>(keys, bins, f, memory.chains); });
			std::vector<Section> sections = memory.sections(secondThreads * secondItems);
			report(label(k), ms, bytes, exact, proof(bins, sections, f, false));
			if (k == chainsOfBin.back() && second) measure_second(sections, makeSecond(bins, sections));
			memory.release();
		}
	}
	template <class Function> void measure_second(const std::vector<Section>& sections, Function f) {
		const u32 bytes = format == R12 ? 24 : 16;
		const u32 shared = Tile<secondThreads, secondItems, format, Function>::bytes;
		Section* list = allocate<Section>(sections.size());
		write(list, sections);
		CHECK(cudaMemset(binCounts, 0, 4 * 65536));
		count_records<<<(u32)sections.size(), 256>>>(Records{bins.words, format == R12 ? bins.rows : nullptr}, list, f,
		                                              binCounts);
		std::vector<u32> starts = prefix(read(binCounts, 65536));
		auto exactly = second_pass<secondThreads, secondItems, format, Function, Ranges>;
		allow(exactly, shared);
		float exact = median([&] { write(binCounts, starts); }, [&] {
			exactly<<<(u32)sections.size(), secondThreads, shared>>>(bins, list, buckets, f, Ranges{binCounts});
		});
		report(label("second", "known places"), exact, bytes, 0, nullptr);
		for (u32 size : {512u, 1024u}) {
			ChainMemory<40> memory(65536, 1, size, rows, 128);
			write(list, deal(sections, 16));
			auto paged = second_pass<secondThreads, secondItems, format, Function, Chains<40>>;
			allow(paged, shared);
			float ms = median([&] { memory.clear(); }, [&] {
				paged<<<(u32)sections.size(), secondThreads, shared>>>(bins, list, buckets, f, memory.chains);
			});
			report(label("second", size == 512 ? "pages of 512" : "pages of 1,024"), ms, bytes, exact,
			       proof(buckets, memory.sections(512), f, true));
			memory.release();
		}
		CHECK(cudaFree(list));
	}
	template <class Function>
	const u32* proof(Records out, const std::vector<Section>& sections, const Function& f, bool second) {
		static u32 result[2];
		Section* list = allocate<Section>(sections.size());
		write(list, sections);
		CHECK(cudaMemset(bitmap, 0, rows / 8 + 4));
		CHECK(cudaMemset(counters, 0, 8));
		prove<Word, format><<<(u32)sections.size(), 256>>>(out, list, f, second, keys, bitmap, binOfRow,
		                                                            counters);
		CHECK(cudaMemcpy(result, counters, 8, cudaMemcpyDeviceToHost));
		CHECK(cudaFree(list));
		return result;
	}
};
template <class Word> static std::vector<Pair> sample_of(const Word* keys, u32 n) {
	Pair* p = allocate<Pair>(n);
	draw<<<n / 256, 256>>>(keys, rows, p, n);
	std::vector<Pair> all = read(p, n);
	CHECK(cudaFree(p));
	return all;
}
// 4,096 records of each bin, from the first section of the bin that has as many.
static std::vector<Pair> sample_of_bins(Records in, Format format, const std::vector<Section>& sections) {
	const u32 each = 4096;
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

// Kernels that only read a word and return.

__global__ void idle(const u32* decision, u32 mine) {
	wait_for_earlier_kernels();
	if (load_relaxed(decision) == mine) asm volatile("trap;");
	let_later_kernels_start();
}
__global__ void busy(u32 microseconds) {
	u64 from, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
	do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - from < microseconds * 1000);
}
// The time that idle kernels add to one that runs while they are launched.
static void measure_idle(int multiprocessors) {
	CHECK(cudaMemset(counters, 0, 8));
	for (bool early : {false, true}) {
		float alone = 0;
		for (int count : {0, 1, 7, 14}) {
			cudaLaunchAttribute attribute;
			attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
			attribute.val.programmaticStreamSerializationAllowed = 1;
			cudaLaunchConfig_t config = {};
			config.gridDim = 4 * multiprocessors, config.blockDim = 384, config.attrs = &attribute,
			config.numAttrs = early;
			float ms = median([] {}, [&] {
				busy<<<multiprocessors, 32>>>(500);
				for (int i = 0; i < count; i++) CHECK(cudaLaunchKernelEx(&config, idle, (const u32*)counters, 1u));
			});
			if (count == 0) alone = ms;
			else printf("%2d idle kernels%s: %.1f us\n", count, early ? ", launched early" : "", (ms - alone) * 1000);
		}
	}
}

template <class Word> static void make(Word* keys, int kind) {
	make_keys<<<2048, 256>>>(keys, rows, kind);
	CHECK(cudaGetLastError());
}

int main(int count, char** arguments) {
	int bits = count > 1 ? atoi(arguments[1]) : 28;
	cudaDeviceProp device;
	CHECK(cudaGetDeviceProperties(&device, 0));
	rows = (1u << bits) / 24576 * 24576;
	printf("%s, %u rows\n", device.name, rows);
	u64* keys = allocate<u64>(rows);
	size_t room = (size_t)rows + 65536ull * 1300;
	Records bins = {allocate<u64>(room), allocate<u32>(room)}, buckets = {allocate<u64>(room), allocate<u32>(room)};
	bitmap = allocate<u32>(rows / 32 + 1), counters = allocate<u32>(2), binCounts = allocate<u32>(65536);
	binOfRow = allocate<u8>(rows);
	measure_idle(device.multiProcessorCount);
	float copy = median([] {}, [&] {
		CHECK(cudaMemcpyAsync(buckets.words, bins.words, 8ull * rows, cudaMemcpyDeviceToDevice));
	});
	report("copy of 8 bytes a row", copy, 16, 0, nullptr);
	auto next8 = [](Records, const std::vector<Section>&) { return Linear<48>(); };
	for (int kind = 0; kind < KINDS; kind++) {
		printf("\n%s\n", kindNames[kind]);
		const bool second = kind == UNIFORM || kind == VALUES;
		make((u32*)keys, kind);
		Run<u32, 768, 16, R8> linear = {"R8 LINEAR", (u32*)keys, bins, buckets};
		linear.measure(Linear<56>(), kind == UNIFORM || kind == SORTED, next8, {8, 4, 2, 1});
		BorderSets sets = BorderSets::of(sample_of((u32*)keys, 1 << 16), 1);
		Run<u32, 512, 16, R8> four = {"R8 BORDERS", (u32*)keys, bins, buckets};
		four.measure(sets.function, second, [&](Records in, const std::vector<Section>& s) {
			return BorderSets::of(sample_of_bins(in, R8, s), 256).function;
		}, {4, 1});
		sets.release();

		make(keys, kind);
		Run<u64, 512, 16, C8> eight = {"C8 LINEAR", keys, bins, buckets};
		eight.measure(Linear<56>(), kind == UNIFORM || kind == SORTED, next8, {4, 1});
		sets = BorderSets::of(sample_of(keys, 1 << 16), 1);
		eight.name = "C8 BORDERS";
		if (kind == UNIFORM)
			eight.measure(sets.function, true, [&](Records in, const std::vector<Section>& s) {
				return BorderSets::of(sample_of_bins(in, C8, s), 256).function;
			}, {4, 1});
		Run<u64, 512, 16, R12> twelve = {"R12 BORDERS", keys, bins, buckets};
		twelve.measure(sets.function, second, [&](Records in, const std::vector<Section>& s) {
			return BorderSets::of(sample_of_bins(in, R12, s), 256).function;
		}, {4, 1});
		sets.release();
	}
	printf(failed ? "\nFAILED\n" : "\nall proved\n");
	return failed;
}
