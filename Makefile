# Targets with a comment behind two number signs are listed by `make help`.
.DEFAULT_GOAL := help
.PHONY: help test race fuzz lint ci bench benchcmp rivals figures capi capi-test capi-foreign wheel python-test gpu \
	gpu-test kernels kernels-check emulate cub images release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## all tests, each with a part of its cases: ARROWSORT_LONG=1 for all of them
	go test ./...

race: ## a few cases of every test under the race detector
	.ci/run race

fuzz: ## the readers of files and the decoder of rows, FUZZTIME seconds each (10)
	.ci/run fuzz

lint: ## gofmt, go vet and staticcheck
	.ci/run format vet lint

ci: ## everything that a change must pass
	.ci/run

bench: ## the Go benchmarks: about 5 minutes, BENCH=pattern for some of them
	go test -run '^$$' -bench '$(or $(BENCH),.)' ./benchmarks

benchcmp: ## the same at two commits: OLD=HEAD, NEW=. (the working tree), BENCH=pattern
	benchmarks/benchcmp $(or $(OLD),HEAD) $(or $(NEW),.) $(BENCH)

rivals: ## arrowsort, Polars, DuckDB, DataFusion and Arrow C++ on the same data: needs Python
	benchmarks/rivals/run.sh $(RIVALS)

figures: ## write the figures and charts of README and docs from the newest results
	go test ./arrowsort/internal/repotest -run 'Figures$$' -update
	cd benchmarks/figures && go run .

capi: ## build/capi, the C library: shared, static, header; needs a C compiler
	arrowsort/capi/build.sh

capi-test: ## the C library's tests, and a C program under the address sanitizer
	arrowsort/capi/test.sh

capi-foreign: ## the C library with nanoarrow (C++) and the crate arrow (Rust); needs Python and cargo
	arrowsort/capi/test/foreign.sh

wheel: ## build/wheel, the Python package; needs Python, Go and a C compiler
	python/wheel.sh

python-test: ## the Python package's tests, with pyarrow, Polars, DuckDB and pandas from PyPI
	python/test.sh

gpu: ## build/arrowsort-gpu, the command line with the GPU engine; needs a C compiler and Python, no GPU
	gpu/build.sh

gpu-test: ## the GPU engine's tests against a stand-in for the driver; needs a C++ compiler as well
	gpu/test.sh && ARROWSORT_PACKAGES=./arrowsort/internal/difftest gpu/test.sh -run OnGPU

kernels: ## build the kernels' image and its MANIFEST; needs Python and a C++ compiler, no GPU
	kernels/build.sh

kernels-check: ## fail unless a fresh build of the kernels has the bytes of the committed image
	kernels/build.sh check

emulate: ## tests of single kernels on an emulated device, under the sanitizers; needs a C++ compiler
	kernels/emulation/run.sh

cub: ## build/cub, the comparison with CUB; benchmarks/cub/run.sh runs it on a GPU
	benchmarks/cub/build.sh

images: ## build and run what the images of Containerfile and Containerfile.gpu hold, without a container engine
	.ci/images

release: ## build/release: archives for each system, the GPU build, checksums, lists of modules; publishes nothing
	.ci/release
