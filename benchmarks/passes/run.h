// A run of both passes: their times, with known places and by pages, and the proof of every result.
#pragma once
#include "bins.h"
#include "bucket_pass.h"

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

// A Run measures both passes for a column in a format.
template <class Word, int threads, int items, Format format> struct Run {
	static const int secondThreads = 512, secondItems = 16;
	const char* name;
	const Word* keys;
	Records bins, buckets; // memory of the output of either pass
	char text[160];

	const char* label(const char* pass, const char* how) {
		snprintf(text, sizeof text, "%s, %s, %s", name, pass, how);
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
		report(label("first pass", "known places"), exact, bytes, 0, nullptr);
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
		report(label("second pass", "known places"), exact, bytes, 0, nullptr);
		for (u32 size : {1024u, 512u}) {
			ChainMemory<40> memory(65536, 1, size, rows, 128);
			write(list, deal(sections, 16));
			auto paged = second_pass<secondThreads, secondItems, format, Function, Chains<40>>;
			allow(paged, shared);
			float ms = median([&] { memory.clear(); }, [&] {
				paged<<<(u32)sections.size(), secondThreads, shared>>>(bins, list, buckets, f, memory.chains);
			});
			report(label("second pass", size == 512 ? "pages of 512" : "pages of 1,024"), ms, bytes, exact,
			       proof(buckets, memory.sections(512), f, true));
			if constexpr (format != C8)
				if (size == 512) measure_incore(memory);
			memory.release();
		}
		CHECK(cudaFree(list));
	}
	// Sorts the buckets; the result takes the place of the bins' rows.
	void measure_incore(const ChainMemory<40>& memory) {
		std::vector<u64> cursors = read(memory.chains.cursors, 65536);
		std::vector<u32> counts(65536);
		for (u32 i = 0; i < 65536; i++)
			counts[i] = ((u32)(cursors[i] >> 32) & Chains<40>::sequenceMask) * 512 + (u32)cursors[i];
		write(binCounts, prefix(counts));
		u32* list = allocate<u32>(65537);
		Buckets65536 b = {memory.chains.cursors, memory.chains.table, binCounts, memory.stride, 65536, list};
		auto kernel = sort_buckets<512, 12, format, 2, false>;
		auto large = sort_buckets<1024, 11, format, 1, true>;
		const u32 bytes = Incore<512, 12, format>::bytes, bytesOfLarge = Incore<1024, 11, format>::bytes;
		allow(large, bytesOfLarge);
		allow(kernel, bytes);
		float ms = median([&] { CHECK(cudaMemset(list, 0, 4)); }, [&] {
			kernel<<<2 * multiprocessors, 512, bytes>>>(buckets, b, bins.rows);
			large<<<multiprocessors, 1024, bytesOfLarge>>>(buckets, b, bins.rows);
		});
		static u32 result[2];
		CHECK(cudaMemset(bitmap, 0, rows / 8 + 4));
		CHECK(cudaMemset(counters, 0, 8));
		prove_order<<<2048, 256>>>(bins.rows, rows, keys, bitmap, counters);
		CHECK(cudaMemcpy(result, counters, 8, cudaMemcpyDeviceToHost));
		report(label("bucket sort", "row numbers"), ms, format == R12 ? 16 : 12, 0, result);
		printf("    largest bucket %u rows, %u sorted by larger blocks\n",
		       *std::max_element(counts.begin(), counts.end()), read(list, 1)[0]);
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
