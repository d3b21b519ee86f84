// Measures the two passes of a partition whose bins are chains of pages, and proves every result: each record lies in
// the bin that its row belongs to, rows are a permutation, and numbers are those of the rows.
#include "run.h"

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
static void measure_idle() {
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
	multiprocessors = device.multiProcessorCount;
	measure_idle();
	float copy = median([] {}, [&] {
		CHECK(cudaMemcpyAsync(buckets.words, bins.words, 8ull * rows, cudaMemcpyDeviceToDevice));
	});
	report("copy of 8 bytes a row", copy, 16, 0, nullptr);
	auto next8 = [](Records, const std::vector<Section>&) { return Linear<48>(); };
	for (int kind = 0; kind < KINDS; kind++) {
		printf("\n%s\n", kindNames[kind]);
		const bool second = kind == UNIFORM || kind == VALUES || kind == MORE_VALUES;
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
