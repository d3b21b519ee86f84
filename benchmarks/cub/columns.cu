// The columns of the comparison, and the proof that row numbers are the stable order: they are a permutation, and every
// row stands right to its neighbour.
#include "columns.h"

int distribution_count() { return distributions; }
const char* distribution_name(int distribution) { return distributionNames[distribution]; }

void make_values(Recipe r, Address values, u64 n, u64 seed, Address stream) {
	for_each(n, stream, [=] ITEM(u64 i) { make_value(r, (u8*)values, i, n, seed); });
}

void make_validity(Address words, u64 n, u64 seed, u32 nullsPercent, Address stream) {
	for_each((n + 31) / 32, stream, [=] ITEM(u64 w) { ((u32*)words)[w] = validity_word(w, seed, nullsPercent); });
}

namespace {

// Whether rows a and b, which follow each other, are in a wrong order.
BOTH bool misplaced(const Keys& o, u32 a, u32 b) {
	int c = compare_rows(o, a, b);
	return c > 0 || (c == 0 && a >= b);
}

// Counts faults on the device by proof, which is passed a Faults there, in each of n rows.
template <class Proof> Faults count_faults(u64 n, Address stream, Proof proof) {
	Faults found, *f = (Faults*)allocate(sizeof(Faults));
	fill(f, 0, sizeof(Faults), stream);
	for_each(n, stream, [=] ITEM(u64 i) { proof(f, i); });
	read_back(&found, f, sizeof found, stream);
	release(f);
	return found;
}

} // namespace

Faults prove_rows(Keys o, Address rowNumbers, u64 n, Address seen, Address stream) {
	const u32* rows = (const u32*)rowNumbers;
	fill((void*)seen, 0, n / 8 + 8, stream);
	return count_faults(n, stream, [=] ITEM(Faults * f, u64 i) {
		u32 row = rows[i];
		if (row >= n) return (void)add(&f->outside, 1);
		if (set_bit((u32*)seen, row)) add(&f->twice, 1);
		if (i > 0 && rows[i - 1] < n && misplaced(o, rows[i - 1], row)) add(&f->order, 1);
	});
}

// The leading rows are in order, and of all rows as many sort before the last of them as precede it.
Faults prove_first(Keys o, Address rowNumbers, u64 n, u64 k, Address stream) {
	const u32* rows = (const u32*)rowNumbers;
	return count_faults(n, stream, [=] ITEM(Faults * f, u64 i) {
		u32 last = rows[k - 1];
		if (i < k && rows[i] >= n) add(&f->outside, 1);
		if (last >= n) return;
		int c = compare_rows(o, (u32)i, last);
		if (c < 0 || (c == 0 && i < last)) add(&f->before, 1);
		if (i > 0 && i < k && rows[i] < n && rows[i - 1] < n && misplaced(o, rows[i - 1], rows[i])) add(&f->order, 1);
	});
}

// The sums of values, of their hashes and of the squares of these.
struct Sums {
	u64 of[3];
};
static Sums sums_of(Key key, Address values, u64 n, Address stream) {
	Sums found, *sums = (Sums*)allocate(sizeof(Sums));
	fill(sums, 0, sizeof(Sums), stream);
	for_each(n, stream, [=] ITEM(u64 i) {
		u64 x = width_of(key.type) == 4 ? ((const u32*)values)[i] : ((const u64*)values)[i], hash = mix(x);
		add(&sums->of[0], x), add(&sums->of[1], hash), add(&sums->of[2], hash * hash);
	});
	read_back(&found, sums, sizeof found, stream);
	release(sums);
	return found;
}

Faults prove_values(Key key, Address sorted, u64 n, Address stream) {
	const Sums before = sums_of(key, key.values, n, stream), after = sums_of(key, sorted, n, stream);
	Key result = key;
	result.values = sorted;
	Faults f = count_faults(n, stream, [=] ITEM(Faults * f, u64 i) {
		if (i > 0 && compare_rows(result, (u32)(i - 1), (u32)i) > 0) add(&f->order, 1);
	});
	for (int k = 0; k < 3; k++) f.twice += before.of[k] != after.of[k];
	return f;
}

Faults prove_gathered(Address values, Address rows, u64 n, Address gathered, Address stream) {
	return count_faults(n, stream, [=] ITEM(Faults * f, u64 i) {
		if (((const u64*)gathered)[i] != ((const u64*)values)[((const u32*)rows)[i]]) add(&f->order, 1);
	});
}

Address memory_new(u64 bytes) { return (Address)allocate(bytes); }
void memory_fill(Address p, int byte, u64 bytes, Address stream) { fill((void*)p, byte, bytes, stream); }
void memory_free(Address p) { release((void*)p); }
