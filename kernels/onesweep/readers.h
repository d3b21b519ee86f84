// The readers of digit binning: the rows that a thread holds in registers. Item i of a lane is row first + 32 * i +
// lane, so that a warp reads whole lines and ranks rows in their order. load issues the loads, settle computes codes.
// Items after the end get the greatest digit: they are ranked after all rows and never written. Records are read as
// memory that may change, since the preceding pass still writes them when this kernel starts (LaunchEarly).
#pragma once
#include "common/column_rows.h"
#include "onesweep/records.h"

template <class S> struct FromPacked {
	typedef Packed Format;
	static const int place = RECORD_SHIFT;
	u64 code[S::items];
	const u64* in;

	DEVICE explicit FromPacked(const Binning& b) : in(b.in + lane_index()) {}
	DEVICE void load(const Place& p) {
		const u64* at = in + p.first;
		load_items<S::items>(p, code, (u64)~0ull, [=](int i) { return at[i]; });
	}
	DEVICE void settle(const Place&) {}
	DEVICE u64 digits(int i) const { return code[i]; }
	DEVICE u64 record(int i) const { return code[i]; }
};

template <class S> struct FromShort : FromPacked<S> {
	typedef Short Format;
	static const int place = CODE_SHIFT;

	DEVICE explicit FromShort(const Binning& b) : FromPacked<S>(b) {}
	DEVICE u32 digits(int i) const { return (u32)(FromPacked<S>::code[i] >> 32); }
};

template <class S> struct FromWide {
	typedef Wide Format;
	static const int place = RECORD_SHIFT;
	u64 word[S::items];
	u32 rests[S::items];
	const u64* in;
	const u32* inRows;
	u32 restBytes;

	DEVICE explicit FromWide(const Binning& b)
	    : in(b.in + lane_index()), inRows(b.inRows), restBytes(Parts(b.parts).restIn) {}
	DEVICE void load(const Place& p) {
		if (restBytes == 4) load_with<u32>(p);
		else if (restBytes == 2) load_with<u16>(p);
		else load_with<u8>(p);
	}
	template <class Rest> DEVICE void load_with(const Place& p) {
		const u64* at = in + p.first;
		const Rest* restAt = (const Rest*)inRows + lane_index() + p.first;
		load_items<S::items>(p, word, (u64)~0ull, [=](int i) { return at[i]; });
		load_items<S::items>(p, rests, 0u, [=](int i) { return restAt[i]; });
	}
	DEVICE void settle(const Place&) {}
	DEVICE u64 digits(int i) const { return word[i]; }
	DEVICE u32 rest(int i) const { return rests[i]; }
};

// The first pass reads the column and adds the row numbers.
template <class Word, class S> struct NumberedRows {
	ColumnRows<Word, S::items> column;
	u32 first;

	DEVICE explicit NumberedRows(const Binning& b) : column(b.field) {}
	DEVICE void load(const Place& p) { column.load(p); }
	DEVICE void settle(const Place& p) {
		column.encode(p);
		first = (u32)p.first + lane_index();
	}
	DEVICE Word digits(int i) const { return column.x[i]; }
	DEVICE u32 row(int i) const { return first + 32 * i; }
};

// Codes of at most 32 bits, of a column of 4 bytes, are words.
template <class S> struct FromColumnShort : NumberedRows<u32, S> {
	typedef Short Format;
	static const int place = CODE_SHIFT;
	using NumberedRows<u32, S>::NumberedRows;
	DEVICE u64 record(int i) const { return (u64)this->digits(i) << 32 | this->row(i); }
};

template <class S> struct FromColumnWide : NumberedRows<u64, S> {
	typedef Wide Format;
	static const int place = RECORD_SHIFT;
	using NumberedRows<u64, S>::NumberedRows;
	DEVICE u32 rest(int i) const { return this->row(i); }
};

template <class S> struct FromColumn : NumberedRows<u64, S> {
	using NumberedRows<u64, S>::column;
	typedef Packed Format;
	static const int place = RECORD_SHIFT;
	u32 rowBits;

	DEVICE explicit FromColumn(const Binning& b) : NumberedRows<u64, S>(b), rowBits((u32)b.rowBits) {}
	DEVICE void settle(const Place& p) {
		NumberedRows<u64, S>::settle(p);
		UNROLL for (int i = 0; i < S::items; i++) column.x[i] = column.x[i] << rowBits | this->row(i);
		fill_missing<S::items>(p, column.x);
	}
	DEVICE u64 record(int i) const { return column.x[i]; }
};
