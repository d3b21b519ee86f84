// Package cdata passes Arrow data through the Arrow C Data Interface and the Arrow C Stream Interface, in both
// directions without a copy of buffers. It is built with the tag capi, which needs cgo.
//
// Arrow's own package cdata is not used, since that of v15 releases memory twice or never after errors, refuses buffers
// that may be null, changes time zones that hold a colon, and frees streams by finalizers only. Here an imported array
// is released exactly once: when the last of its buffers is, or when its import fails.
//
// What C holds is C memory: structures, the blocks of Memory, and buffers that came from C. Buffers of Go, which are
// small ones that Arrow's builders made, are pinned while C holds them.
package cdata
