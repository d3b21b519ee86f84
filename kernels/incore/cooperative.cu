#include "incore/cooperative.h"

// cooperative sorts rows by one column or code word in a single cooperative launch, without statistics.
KERNEL(cooperative, COOPERATIVE_THREADS, 1)(PARAMETER CooperativeSort job) { CooperativeSorter(job).sort(); }
