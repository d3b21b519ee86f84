#include "bucketsort/bucket_ranges.h"
#include "bucketsort/tied.h"

// Full ranges, other ranges, and short words that may tie have separate code.
template <class Full, class Any> DEVICE void sort_range(const Buckets& b, const volatile BucketRange* s) {
	if (!Any::isWide && s->ties) Tied<Any>::sort(&b, s);
	else if (Full::is_full(s)) Full(b, shared_memory(), s).sort();
	else Any(b, shared_memory(), s).sort();
}

template <int threads, int items, bool wide> DEVICE void sort_ranges(const Buckets& b) {
	typedef BinSorter<threads, items, BUCKET_SORT_BIN_BITS, wide, false> Any;
	BucketRanges<Any> ranges(b, shared_memory());
	let_later_kernels_start();
	for (; ranges.more(); ranges.next()) {
		bool fits = ranges.cut();
		const volatile BucketRange* s = ranges.range;
		if (s->rows == 0) continue;
		if (fits) sort_range<BinSorter<threads, items, BUCKET_SORT_BIN_BITS, wide, true>, Any>(b, s);
		else ranges.defer();
	}
}

// bucket_sort sorts the buckets of its ranges, and writes row numbers.
KERNEL(bucket_sort, BUCKET_SORT_THREADS, 4)(PARAMETER Buckets b) {
	sort_ranges<BUCKET_SORT_THREADS, BUCKET_SORT_ITEMS, false>(b);
}
KERNEL(bucket_sort_wide, BUCKET_SORT_WIDE_THREADS, 3)(PARAMETER Buckets b) {
	sort_ranges<BUCKET_SORT_WIDE_THREADS, BUCKET_SORT_WIDE_ITEMS, true>(b);
}
