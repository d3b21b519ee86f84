#include "incore/cooperative.h"

// cooperative sorts rows by one column or code word in a single cooperative launch, without statistics.
KERNEL(cooperative, COOPERATIVE_THREADS, 1)(PARAMETER CooperativeSort job) { CooperativeSorter(job).sort(); }

// place_nulls parts nulls from values with their code, after a sort by the digits that the grid has counted.
KERNEL(place_nulls, COOPERATIVE_THREADS, 1)(PARAMETER CooperativeSort job) { CooperativeSorter(job).place_nulls(); }
