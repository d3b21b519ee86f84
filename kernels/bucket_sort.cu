#include "cutter.h"
#include "tied.h"

// A span that is not full takes code of its own, and so does one of short words that may tie.
template <class Full, class Any> DEVICE void finish_span(const Buckets& b, const volatile Span* s) {
	if (!Any::isWide && s->ties) {
		Tied<Any>::sort(&b, s);
	} else if (Full::is_full(s)) {
		Full(b, shared_memory(), s).sort();
	} else {
		Any(b, shared_memory(), s).sort();
	}
}

template <int threads, int items, int binBits, bool wide> DEVICE void finish_window(const Buckets& b) {
	typedef Finish<threads, items, binBits, wide, false> Any;
	WindowCutter<Any, wide> cutter(b, shared_memory());
	wait_for_earlier_kernels(); // the plan is older: a pass of the partition has waited for it
	let_later_kernels_start();
	for (; cutter.more(); cutter.next()) {
		bool fits = cutter.cut();
		const volatile Span* s = cutter.span;
		if (s->rows == 0) continue;
		if (fits) {
			finish_span<Finish<threads, items, binBits, wide, true>, Any>(b, s);
		} else {
			cutter.leave();
		}
	}
}

// finish sorts the buckets of a window, and writes row numbers.
KERNEL(finish, FINISH_THREADS, 4)(PARAMETER Buckets b) { finish_window<FINISH_THREADS, FINISH_ITEMS, FINISH_BIN_BITS, false>(b); }
KERNEL(finish_wide, FINISH_WIDE_THREADS, 3)(PARAMETER Buckets b) { finish_window<FINISH_WIDE_THREADS, FINISH_WIDE_ITEMS, FINISH_BIN_BITS, true>(b); }
KERNEL(finish_small, FINISH_THREADS, 4)(PARAMETER Buckets b) { finish_window<FINISH_THREADS, SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS, false>(b); }
KERNEL(finish_small_wide, FINISH_THREADS, 4)(PARAMETER Buckets b) { finish_window<FINISH_THREADS, SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS, true>(b); }
