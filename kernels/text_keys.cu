#include "strings.h"

// Keys of strings, some bytes at a time. The rows of a list are in groups of strings that are equal so far. A code is
// the group of a row, the next bytes of its string, and how many of these there are. The code of a null, which has no
// group, is the least or the greatest; no string has it.

// The low bits are 1 for no bytes, up to the number of bytes plus 1, and one more for more bytes than these.
static_assert(TEXT_KEY_BYTES + 2 < (1 << TEXT_LEFT_BITS) - 1, "not all ones");

// text_common finds how many leading bytes are common to all strings of each group: the least number of all groups.
KERNEL(text_common, STREAM_THREADS, 1)
(const Text* t, const u32* rows, const u32* groups, u64 n, u64 known, u64* uncommon) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS, first = (u64)block_index() * STREAM_THREADS + thread_index();
	u64 least = ~0ull;
	for (u64 i = first; i < n; i += step) {
		const u64 row = rows ? rows[i] : i;
		if (groups ? i == 0 || groups[i] != groups[i - 1] : is_null(t, row)) continue;
		const u64 other = groups ? rows[i - 1] : t->reference, ofAll = ~load_relaxed(uncommon);
		least = ofAll < least ? ofAll : least;
		if (least <= known) break;
		least = known + string_of(t, row).from(known).common(string_of(t, other).from(known), least - known);
	}
	if (least < ~load_relaxed(uncommon)) atomic_max(uncommon, ~least);
}

// text_codes makes the codes of the rows of a list.
KERNEL(text_codes, STREAM_THREADS, 1)
(const Text* t, const u32* rows, const u32* groups, u64 n, const u64* uncommon, u64 bytes, u64* codes) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS, common = ~*uncommon;
	const u32 width = (u32)bytes * 8 + TEXT_LEFT_BITS;
	const u64 all = (1ull << width) - 1;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < n; i += step) {
		const u64 row = rows ? rows[i] : i;
		if (is_null(t, row)) {
			codes[i] = t->nullsAtStart ? 0 : all;
			continue;
		}
		const StringBytes rest = string_of(t, row).from(common);
		const u64 here = rest.length < bytes ? rest.length : bytes, more = rest.length > bytes;
		u64 code = here ? big_endian(rest.word()) >> (64 - 8 * here) << (8 * (bytes - here)) : 0;
		code = code << TEXT_LEFT_BITS | (here + more + 1);
		codes[i] = (groups ? (u64)groups[i] << width : 0) | (t->descending ? all - code : code);
	}
}

// Rows of sorted codes that tie with a neighbour and have more bytes: 1, and for the first of a group 1 in the upper
// half.
struct TextTies {
	const u64* codes;
	u64 n, more; // more: the low bits of codes whose strings have more bytes

	DEVICE TextTies(const u64* codes, u64 n, u64 bytes, u64 descending)
	    : codes(codes), n(n), more(descending ? (1u << TEXT_LEFT_BITS) - 1 - (bytes + 2) : bytes + 2) {}
	DEVICE u64 at(u64 i) const {
		if (i >= n) return 0;
		const u64 code = codes[i];
		if ((code & ((1u << TEXT_LEFT_BITS) - 1)) != more) return 0;
		const bool first = i == 0 || codes[i - 1] != code, last = i + 1 == n || codes[i + 1] != code;
		return first && last ? 0 : 1 | (u64)first << 32;
	}
};

// text_count_ties counts the rows of each tile that tie, and above them the groups that begin there.
KERNEL(text_count_ties, STREAM_THREADS, 1)(const u64* codes, u64 n, u64 bytes, u64 descending, u64* sums) {
	u64* warps = (u64*)shared_memory();
	const TextTies ties(codes, n, bytes, descending);
	u64 sum = 0, total;
	UNROLL for (u32 k = 0; k < TEXT_TILE / STREAM_THREADS; k++)
		sum += ties.at((u64)block_index() * TEXT_TILE + k * STREAM_THREADS + thread_index());
	block_exclusive_sum<STREAM_THREADS>(sum, warps, &total);
	if (thread_index() == 0) sums[block_index()] = total;
}

// text_list_ties lists these rows, their places and their groups. A list without places has those of its rows.
KERNEL(text_list_ties, STREAM_THREADS, 1)
(const u64* codes, u64 n, u64 bytes, u64 descending, const u64* sums, const u32* rows, const u32* places, u32* toRows,
 u32* toPlaces, u32* toGroups) {
	u64* warps = (u64*)shared_memory();
	const TextTies ties(codes, n, bytes, descending);
	u64 before = sums[block_index()], total;
	for (u32 k = 0; k < TEXT_TILE / STREAM_THREADS; k++) {
		const u64 i = (u64)block_index() * TEXT_TILE + k * STREAM_THREADS + thread_index(), tie = ties.at(i),
		          sum = before + block_exclusive_sum<STREAM_THREADS>(tie, warps, &total);
		before += total;
		if (tie == 0) continue;
		const u32 to = (u32)sum;
		toRows[to] = rows[i], toPlaces[to] = places ? places[i] : (u32)i;
		toGroups[to] = (u32)((sum + tie) >> 32) - 1;
	}
}

// text_place writes the rows of a list to its places.
KERNEL(text_place, STREAM_THREADS, 1)(const u32* rows, const u32* places, u64 n, u32* order) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < n; i += step) order[places[i]] = rows[i];
}
