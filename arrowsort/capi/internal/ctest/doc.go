// Package ctest calls the functions of arrowsort.h from Go, for the tests of the C interface. It is built with the tag
// capi.
package ctest
