// Package objects registers object stores with package beamsort, which then reads of an input what it needs: the store
// of package blob for s3://, gs:// and azblob://; and Beam's file systems for outputs to s3:// and gs://. It is
// imported for that alone. Package blob says which credentials inputs need.
package objects

import (
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // for outputs to gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // for outputs to s3://

	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
	"github.com/arrowsort/arrowsort/arrowsort/blob"
)

func init() { beamsort.RegisterStore(blob.NewStore(blob.Options{}), "s3", "gs", "azblob") }
