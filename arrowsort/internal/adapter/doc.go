// Package adapter turns Arrow columns into the raw columns of an engine's job, and the result of a job back into Arrow
// arrays. Buffers are borrowed where the layouts agree; what must be made for a job (merged validity, ranks of
// dictionary entries, expanded runs) is temporary memory of the caller's allocator, given back by JobBuilder.Release.
package adapter
