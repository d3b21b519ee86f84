// Package objects registers the object stores of Google and Amazon, gs:// and s3://, with Beam, and with package
// beamsort, which then reads of an input what it needs. It is imported for that alone. Credentials are those that
// Beam's own file systems find.
package objects

import (
	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
)

func init() {
	beamsort.RegisterRanges("gs", openGoogle)
	beamsort.RegisterRanges("s3", openAmazon)
}
