#include "text/strings.h"

// Keys of strings, some bytes at a time. The rows of a list are in groups of strings that are equal so far. A code is
// the group of a row, the next bytes of its string, and how many of these there are. The code of a null, which has no
// group, is the least or the greatest; no string has it.

// The low bits are 1 for no bytes, up to the number of bytes plus 1, and one more for more bytes than these.
static_assert(TEXT_KEY_BYTES + 2 < (1 << TEXT_LEFT_BITS) - 1, "not all ones");

const u64 ALONE_BYTES = 128; // that one thread compares: the strings of most pairs differ there, or end
const u64 LANE_BYTES = 32;   // that each lane compares at a time, where a warp compares one pair: a sector of memory

// Two strings of a group, from the bytes on that these are known to have in common.
struct TextPair {
	const u8 *a, *b;
	u64 end;    // bytes to compare
	u64* group; // its word; null: there is no pair

	DEVICE TextPair of_lane(u32 lane) const {
		return {(const u8*)shuffle((u64)a, lane), (const u8*)shuffle((u64)b, lane), shuffle(end, lane),
		        (u64*)shuffle((u64)group, lane)};
	}
	// How many bytes are the same, the first ones of which are known to be, by all lanes of a warp.
	DEVICE u64 common_of_warp(u64 same) const {
		for (; same < end; same += 32 * LANE_BYTES) {
			if (shuffle(bytes_to_compare(load_relaxed(group)), 0) <= same) break; // another pair has no more
			const u64 at = same + lane_index() * LANE_BYTES, rest = at < end ? end - at : 0,
			          mine = common_bytes(a + at, b + at, rest < LANE_BYTES ? rest : LANE_BYTES);
			const u32 stopped = vote(mine < LANE_BYTES);
			if (stopped) return same + lowest_bit(stopped) * LANE_BYTES + shuffle(mine, lowest_bit(stopped));
		}
		return same;
	}
	// A pair leaves the atomic operation to its lower neighbour, if that has no more bytes in common.
	DEVICE void report(u64 same) const {
		const u64 other = group ? TEXT_PIECE - same : 0, below = shuffle_up(other, 1);
		if (shuffle_up((u64)group, 1) == (u64)group && lane_index() > 0 && below >= other) return;
		const u64 word = other ? load_relaxed(group) : 0;
		if (other > (word & TEXT_PIECE)) atomic_max(group, known_bytes(word) << TEXT_PIECE_BITS | other);
	}
};

// The pair of a row of a list and the row that precedes it in its group; of the only group, and the reference.
DEVICE TextPair pair_at(const Text* t, const u32* rows, const u32* groups, u64 i, u64 n, u64* depths) {
	if (i >= n || (groups && (i == 0 || groups[i] != groups[i - 1]))) return {};
	u64* group = depths + (groups ? groups[i] : 0);
	const u64 word = load_relaxed(group), known = known_bytes(word), most = bytes_to_compare(word),
	          row = rows ? rows[i] : i;
	if (most == 0 || (!groups && is_null(t, row))) return {};
	const StringBytes a = string_of(t, row).from(known),
	                  b = string_of(t, groups ? rows[i - 1] : t->reference).from(known);
	const u64 end = a.length < b.length ? a.length : b.length;
	return {a.at, b.at, end < most ? end : most, group};
}

// text_common finds how many leading bytes are common to all strings of each group. It compares at most TEXT_PIECE
// bytes of a string, so that a launch ends soon whatever their lengths. Few rows are spread over all warps.
KERNEL(text_common, STREAM_THREADS, 1)(const Text* t, const u32* rows, const u32* groups, u64 n, u64* depths) {
	const u64 warps = (u64)grid_blocks() * (STREAM_THREADS / 32), ofWarp = (n + warps - 1) / warps,
	          lanes = ofWarp < 32 ? ofWarp : 32, step = warps * lanes; // lanes: of a warp, that have rows
	for (u64 first = (block_index() * (STREAM_THREADS / 32) + warp_index()) * lanes; first < n; first += step) {
		const TextPair pair = pair_at(t, rows, groups, lane_index() < lanes ? first + lane_index() : n, n, depths);
		u64 same = common_bytes(pair.a, pair.b, pair.end < ALONE_BYTES ? pair.end : ALONE_BYTES);
		for (u32 longer = vote(same == ALONE_BYTES && same < pair.end); longer; longer &= longer - 1) {
			const u32 lane = lowest_bit(longer);
			const u64 found = pair.of_lane(lane).common_of_warp(ALONE_BYTES);
			if (lane_index() == lane) same = found;
		}
		pair.report(same);
	}
}

// text_codes makes the codes of the rows of a list.
KERNEL(text_codes, STREAM_THREADS, 1)
(const Text* t, const u32* rows, const u32* groups, u64 n, const u64* depths, u64 bytes, u64* codes) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS;
	const u32 width = (u32)bytes * 8 + TEXT_LEFT_BITS;
	const u64 all = (1ull << width) - 1;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < n; i += step) {
		const u64 row = rows ? rows[i] : i;
		if (is_null(t, row)) {
			codes[i] = t->nullsAtStart ? 0 : all;
			continue;
		}
		const StringBytes rest = string_of(t, row).from(depth_of(depths[groups ? groups[i] : 0]));
		const u64 here = rest.length < bytes ? rest.length : bytes, more = rest.length > bytes;
		u64 code = here ? big_endian(rest.word()) >> (64 - 8 * here) << (8 * (bytes - here)) : 0;
		code = code << TEXT_LEFT_BITS | (here + more + 1);
		codes[i] = (groups ? (u64)groups[i] << width : 0) | (t->descending ? all - code : code);
	}
}

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

// text_list_ties lists these rows, their places and their groups, and makes the words of these. A list without places
// has those of its rows.
KERNEL(text_list_ties, STREAM_THREADS, 1)
(const u64* codes, u64 n, u64 bytes, u64 descending, const u64* sums, const u32* rows, const u32* places,
 const u64* depths, u32* toRows, u32* toPlaces, u32* toGroups, u64* toDepths) {
	u64* warps = (u64*)shared_memory();
	const TextTies ties(codes, n, bytes, descending);
	u64 before = sums[block_index()], total;
	for (u32 k = 0; k < TEXT_TILE / STREAM_THREADS; k++) {
		const u64 i = (u64)block_index() * TEXT_TILE + k * STREAM_THREADS + thread_index(), tie = ties.at(i),
		          sum = before + block_exclusive_sum<STREAM_THREADS>(tie, warps, &total);
		before += total;
		if (tie == 0) continue;
		const u32 to = (u32)sum, group = (u32)((sum + tie) >> 32) - 1;
		toRows[to] = rows[i], toPlaces[to] = places ? places[i] : (u32)i, toGroups[to] = group;
		if (tie >> 32 == 0) continue; // not the first of its group
		const u64 depth = depth_of(depths[codes[i] >> (bytes * 8 + TEXT_LEFT_BITS)]);
		toDepths[group] = (depth + bytes) << TEXT_PIECE_BITS;
	}
}

// text_place writes the rows of a list to its places.
KERNEL(text_place, STREAM_THREADS, 1)(const u32* rows, const u32* places, u64 n, u32* order) {
	for_each(n, [&](u64 i) { order[places[i]] = rows[i]; });
}
