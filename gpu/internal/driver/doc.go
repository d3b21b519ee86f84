// Package driver is the CUDA driver as package gpu needs it: gorgonia.org/cu, what that lacks in a few lines of cgo,
// and a trampoline that lets one program start with and without the driver. It is empty in builds without the tag cuda.
package driver
