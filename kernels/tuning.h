// Code generated from tuning.go by TestTuningHeader; DO NOT EDIT.
#pragma once
#define RADIX_BITS 8
#define RADIX_BINS 256
#define MAX_DIGITS 8
#define BINNING_THREADS 320
#define BINNING_ITEMS 32
#define BINNING_ITEMS_WIDE 20
#define DIGIT_TILE 10240
#define DIGIT_TILE_WIDE 6400
#define STRIP_ROWS 536870912
#define HISTOGRAM_THREADS 1024
#define HISTOGRAM_COPIES 16
#define STREAM_THREADS 256
