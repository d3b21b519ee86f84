#include "cluster.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 // others have no clusters, and the image has no such kernel for them
// cluster sorts up to CLUSTER_ROWS rows by one column or code word, in one launch of one cluster: no statistics are needed before.
CLUSTER_KERNEL(cluster, CLUSTER_THREADS, CLUSTER_BLOCKS)(PARAMETER Few few) {
	Cluster((u32)few.n).sort(few);
}
#endif
