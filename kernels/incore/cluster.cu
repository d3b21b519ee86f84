#include "incore/cluster.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 // others have no clusters: their images have no such kernel
// cluster sorts up to CLUSTER_ROWS rows by one column or code word in a single launch of one cluster, without
// statistics.
CLUSTER_KERNEL(cluster, CLUSTER_THREADS, CLUSTER_BLOCKS)(PARAMETER SmallSort job) {
	Cluster((u32)job.n).sort(job);
}
#endif
