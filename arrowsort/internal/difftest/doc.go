// Package difftest compares the public functions of arrowsort with the model of its order: on random tables of every
// type, on the cases that other libraries are known to get wrong, and in fuzz targets. It has tests only.
package difftest
