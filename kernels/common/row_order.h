// The order of a row and the row before it, as package keyencode defines it.
#pragma once
#include "common/device.h"

// Rises, ties and falls seen so far.
struct Steps {
	bool rises = false, ties = false, falls = false;

	// step is below, at or above zero if the row sorts before, with or after its predecessor.
	DEVICE void add(int step) { rises |= step > 0, ties |= step == 0, falls |= step < 0; }
	DEVICE void store(Statistics* s) const {
		bool up = vote(rises) != 0, level = vote(ties) != 0, down = vote(falls) != 0;
		if (lane_index() != 0) return;
		if (up) s->rises = 1; // blocks write the same word with the same value
		if (level) s->ties = 1;
		if (down) s->falls = 1;
	}
};

// The step from a row to the next, by their classes and numbers: the rank of a class is that in sort order.
template <class Word> DEVICE int step_between(u32 rankBefore, Word before, u32 rank, Word number) {
	if (rank != rankBefore) return rank > rankBefore ? 1 : -1;
	return number == before ? 0 : number > before ? 1 : -1;
}

// The rank of a class: value, NaN, null, or the other way round.
DEVICE u32 class_rank(u32 cls, bool nullsAtStart) { return nullsAtStart ? 2 - cls : cls; }

const u32 CLASS_VALUE = 0, CLASS_NAN = 1, CLASS_NULL = 2;
