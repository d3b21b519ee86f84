// Package capi is the C interface of arrowsort: the functions of arrowsort.h, which passes data by the Arrow C Data
// Interface. It is built with the tag capi, which needs cgo; without it the package is empty.
//
// Build.sh, in this folder, builds the shared library from the program arrowsort, whose commands are functions of the
// library too.
package capi
