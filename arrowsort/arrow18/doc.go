// Package arrow18 sorts data of Apache Arrow Go v18, github.com/apache/arrow-go/v18, by the functions of package
// arrowsort, whose data is that of v15: all of them, those around a sort as well.
//
//	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "date"}}
//	sorted, err := arrow18.Sort(ctx, batch, keys, arrow18.Options{})
//
// Keys, order and errors are those of package arrowsort; errors match Arrow's of both versions. The data of a call is a
// RecordBatch, Table, Array or Chunked of v18, and so is the result.
//
// # Types
//
// Every type of v18.8 can be a payload column. Keys are of the types that package arrowsort sorts by, and of decimal32
// and decimal64, which order by value. Extension types order by their storage and stay what they are. A type that is
// neither v15's nor one of these, of a later version, is an error that matches arrow.ErrNotImplemented and names the
// column, before any work.
//
// # Ownership
//
// No value is copied from one version to the other: both are Go types of the same memory, whose buffers are passed on.
// It takes about a microsecond for each chunk of a column. Inputs are borrowed and never changed; they may be released
// when the call is over. Results belong to the caller, who releases them: their memory goes back to the allocator of
// the options then. What a result shares with its input (dictionaries, and the bytes of string views) are the buffers
// of the input, held until then.
//
// # Compute functions
//
// [Register] adds the functions to a registry of v18, and [Replace] puts them in the place of v18's own.
//
// # Other packages
//
// Package arrow18/extsort sorts any number of batches within a memory budget, package arrow18/rows encodes keys as
// bytes that compare with memcmp: arrowsort/extsort and arrowsort/rows for data of v18.
package arrow18
