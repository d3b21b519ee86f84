// Package gpu is the engine on NVIDIA GPUs: Onesweep (Adinets and Merrill, 2022) on columns that stay on the device
// from their upload to the sorted result. It knows no Arrow.
//
// The engine is in builds with the tag cuda for Linux on x86-64; elsewhere Open says that this build has none.
// gpu/build.sh builds on machines without a GPU and without the CUDA toolkit, and a program built so starts everywhere.
package gpu
