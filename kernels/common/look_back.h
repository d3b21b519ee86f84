// Decoupled look-back (paper, section 3.2; Merrill and Garland 2016): the sum over all preceding tiles, from what they
// have published so far.
#pragma once
#include "common/device.h"

// A status word is a code in the two top bits and a count: empty, partial (of the tile alone) or inclusive (of all
// tiles up to it). The codes rotate from pass to pass: after a pass all words are inclusive, which is the code for
// empty in the next pass. So nothing is zeroed between passes.
struct StatusCodes {
	u32 empty, partial, inclusive;

	DEVICE explicit StatusCodes(u32 phase) {
		u32 e = phase * 2 % 3;
		empty = e << 30;
		partial = (e + 1) % 3 << 30;
		inclusive = (e + 2) % 3 << 30;
	}
};

const u32 STATUS_CODE = 0xc0000000u, STATUS_COUNT = ~STATUS_CODE;

// In test builds some tiles publish late, and all others must wait for them.
DEVICE void stall(u32 tile) {
#ifdef STALLED_TILES
	u32 hash = (tile + 1) * 2654435761u >> 8;
	if (hash % STALLED_TILES == 0) sleep(hash / STALLED_TILES % 64 * 1000);
#else
	(void)tile;
#endif
}

// Look-back over one bin in steps: the words of some tiles are loaded while other work is done.
struct LookBack {
	static const int words = 3; // in flight at a time

	const u32* status; // of the bin, RADIX_BINS words from a tile to the next
	u32 word[words], sum;
	int tile; // the next tile to read
	bool done;

	DEVICE LookBack(const u32* status, u32 before)
	    : status(status), sum(0), tile((int)before - 1), done(before == 0) {}
	DEVICE void ask() {
		if (done) return;
		UNROLL for (int k = 0; k < words; k++) {
			int t = tile - k > 0 ? tile - k : 0;
			word[k] = load_relaxed(status + (u64)t * RADIX_BINS);
		}
	}
	// The word of the first tile is never partial, so no tile is counted twice.
	DEVICE void take(const StatusCodes& codes) {
		if (done) return;
		bool stop = false;
		int taken = 0;
		UNROLL for (int k = 0; k < words; k++) {
			u32 code = word[k] & STATUS_CODE;
			stop |= code == codes.empty;
			if (!stop) {
				sum += word[k] & STATUS_COUNT;
				taken++;
				stop = done = code == codes.inclusive;
			}
		}
		tile -= taken;
	}
};
