// Keys only: digit binning of values without row numbers. Every pass reads values as they are stored and writes them
// so: a value becomes a code, and a code a value, by one exclusive or. So all passes are alike, and rows with equal
// keys need no order.
#pragma once
#include "common/column_rows.h"
#include "common/numbers.h"
#include "onesweep/records.h"

// Codes without rows.
template <class Word> struct CodesAlone {
	static const int bytes = sizeof(Word);
	struct One {
		Word code;
		DEVICE Word digits() const { return code; }
	};
	typedef WordStage<Word, One, CODE_SHIFT> Stage;
};

// Reads values of a column of integers without nulls.
template <class Word, class S> struct FromValues {
	typedef CodesAlone<Word> Format;
	static const int place = CODE_SHIFT;
	Word code[S::items];
	const Binning& b;

	DEVICE explicit FromValues(const Binning& b) : b(b) {}
	DEVICE void load(const Place& p) {
		const Word* in = (const Word*)b.in + p.first + lane_index();
		load_items<S::items>(p, code, (Word)0, [=](int i) { return in[i]; });
	}
	DEVICE void settle(const Place& p) {
		const Word flip = Numbers<Word>(b.field).flip;
		UNROLL for (int i = 0; i < S::items; i++) code[i] ^= flip;
		fill_missing<S::items>(p, code);
	}
	DEVICE Word digits(int i) const { return code[i]; }
	DEVICE Word record(int i) const { return code[i]; }
};

// Writes codes as values.
template <class Word> struct ToValues {
	Word *out, flip;
	DEVICE explicit ToValues(const Binning& b)
	    : out((Word*)in_register(b.out)), flip(Numbers<Word>(b.field).flip) {}
	DEVICE void put(u32 place, const typename CodesAlone<Word>::One& r) const { out[place] = r.code ^ flip; }
};

template <class S> using FromShortValues = FromValues<u32, S>;
template <class S> using FromWideValues = FromValues<u64, S>;
