// Package host is what the engine on a GPU does on the host's processors: memory of the caller, work on several
// threads, strings. It uses no device.
package host
