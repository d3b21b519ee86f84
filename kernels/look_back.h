// Decoupled look-back (paper, section 3.2; Merrill and Garland 2016): the sum over all earlier tiles, from what they have
// published so far.
#pragma once
#include "device.h"

// A status word is a code in the two top bits and a count: empty, partial (of the tile alone) or inclusive (of all tiles up
// to it). The codes change places from pass to pass: when a pass is over, all words are inclusive, and the next pass takes
// that code for empty. So nothing is cleared between passes.
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

// Look-back over one bin in steps: other work is done while the words of some tiles are on their way.
struct LookBack {
	static const int words = 3; // on their way at a time

	const u32* status; // of the bin, RADIX_BINS words from a tile to the next
	u32 word[words], sum;
	int tile; // the next to be looked at
	bool done;

	DEVICE void start(const u32* statusOfBin, u32 before) {
		status = statusOfBin;
		sum = 0;
		tile = (int)before - 1;
		done = before == 0;
	}
	DEVICE void ask() {
		if (done) return;
		UNROLL for (int k = 0; k < words; k++) {
			int t = tile - k > 0 ? tile - k : 0;
			word[k] = load_relaxed(status + (u64)t * RADIX_BINS);
		}
	}
	// The first tile's word is never partial, so nothing behind it is taken in.
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
