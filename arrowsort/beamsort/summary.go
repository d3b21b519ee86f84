package beamsort

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Counters of what was done, in the namespace arrowsort.
var (
	rowsWritten   = beam.NewCounter(namespace, "rows")
	bytesWritten  = beam.NewCounter(namespace, "bytes_written")
	shardsWritten = beam.NewCounter(namespace, "shards")
	bytesShuffled = beam.NewCounter(namespace, "bytes_shuffled")
)

const namespace = "arrowsort"

// A countFn adds shards to the counters.
type countFn struct{}

func (f *countFn) ProcessElement(ctx context.Context, s Shard, emit func(Shard)) {
	rowsWritten.Inc(ctx, s.Rows)
	bytesWritten.Inc(ctx, s.Bytes)
	shardsWritten.Inc(ctx, 1)
	emit(s)
}

// Summary says what a pipeline with one sort has done, by its counters: rows, bytes_written, shards and bytes_shuffled
// of the namespace arrowsort. Some runners do not report them.
func Summary(result beam.PipelineResult) string {
	counts := map[string]int64{}
	if result != nil {
		found := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Namespace() == namespace })
		for _, c := range found.Counters() {
			counts[c.Name()] += c.Result()
		}
	}
	if counts["shards"] == 0 {
		return "sorted"
	}
	return fmt.Sprintf("sorted %d rows to %d shards of %.1f MB in all; %.1f MB were shuffled", counts["rows"],
		counts["shards"], float64(counts["bytes_written"])/1e6, float64(counts["bytes_shuffled"])/1e6)
}
