// Package gpu is the engine on NVIDIA GPUs: Onesweep (Adinets and Merrill, 2022) on columns that stay on the device
// from their upload to the sorted result. It does not use Arrow packages.
//
// The engine is in builds with the tag cuda for Linux on x86-64; elsewhere Open returns an error.
// gpu/build.sh builds on machines without a GPU and without the CUDA toolkit, and a program built so starts everywhere.
package gpu
