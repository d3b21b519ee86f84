// What the comparison needs in CUDA: columns on the device, the proofs of results, CUB's sort, and times. Work is
// queued in a stream of the driver; functions that return numbers wait for it. Addresses are those of the device. An
// error ends the program with a message.
#pragma once
#include "../../kernels/test/distribution_names.h"
#include <stdint.h>

typedef uint64_t Address;

enum Type { U32, I32, F32, U64, I64, F64, I16, TYPES };

// A Recipe is what is in a column. Floats are finite but for the thousandths that are NaN, and zero in the thousandths
// that are zeros of either sign.
typedef struct {
	enum Type type;
	int distribution;
	uint32_t nullsPercent, nanPermille, zeroPermille;
	int anyBits;      // floats of any bits, in place of finite ones
	uint64_t variant; // of a generated distribution; 0: the distribution above
} Recipe;

// A Key is a column with the order that is wanted.
typedef struct {
	enum Type type;
	Address values, validity; // validity may be 0
	uint64_t bit;             // of row 0 in validity
	int descending, nullsAtStart;
} Key;

// Keys are up to three keys, of which each decides between rows that tie in those before it.
typedef struct {
	int count;
	Key key[3];
} Keys;

// Faults are the rows of a result that are wrong: not below the number of rows, there twice, in a wrong place.
typedef struct {
	uint64_t outside, twice, order;
	uint64_t before; // of prove_first: the rows that sort before the last of the first ones
} Faults;

typedef struct Theirs Theirs;

#ifdef __cplusplus
extern "C" {
#endif

int distribution_count(void);
const char *distribution_name(int distribution);
void make_values(Recipe recipe, Address values, uint64_t n, uint64_t seed, Address stream);
void make_validity(Address words, uint64_t n, uint64_t seed, uint32_t nullsPercent, Address stream);

// prove_rows proves that row numbers are the stable order; seen has a bit for each row, and 8 bytes more.
Faults prove_rows(Keys keys, Address rows, uint64_t n, Address seen, Address stream);
// prove_first proves that the first k row numbers are the leading rows of the order.
Faults prove_first(Keys keys, Address rows, uint64_t n, uint64_t k, Address stream);
// prove_values proves that values are those of a key in its order: neighbours, and sums that agree for equal multisets.
// twice counts sums that differ.
Faults prove_values(Key key, Address sorted, uint64_t n, Address stream);
// prove_gathered compares a gathered column of 8 bytes.
Faults prove_gathered(Address values, Address rows, uint64_t n, Address gathered, Address stream);

// CUB's argsort: row numbers made up, then SortPairs with 32-bit num_items and a DoubleBuffer, on keys that are encoded
// already. load sets the keys, which are overwritten by sort. There are several versions of CUB, of which
// theirs_version returns the number, such as 300500 for 3.5.0.
int theirs_versions(void);
int theirs_version(int version);
Theirs *theirs_new(int version, int width, uint64_t n); // bytes of a key: 2, 4 or 8
void theirs_load(Theirs *, Address keys, Address stream);
void theirs_sort(Theirs *, Address stream);
void theirs_sort_keys(Theirs *, Address stream); // SortKeys, without row numbers
// Sorts the rows of the last sort by another key of 2, 4 or 8 bytes, which is gathered by them before.
void theirs_sort_next(Theirs *, int width, Address keys, Address stream);
void theirs_free(Theirs *);
// The rows of the k least keys, in any order, which some versions find.
int theirs_has_topk(int version);
void theirs_topk(Theirs *, uint64_t k, Address stream);

Address memory_new(uint64_t bytes);
void memory_fill(Address, int byte, uint64_t bytes, Address stream);
void memory_free(Address);

// An event is a point of a stream; event_ms waits for the second one.
Address event_new(void);
void event_record(Address, Address stream);
double event_ms(Address from, Address to);
void event_free(Address);

#ifdef __cplusplus
}
#endif
