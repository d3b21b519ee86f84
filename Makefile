# Targets with a comment behind two number signs are listed by `make help`.
.DEFAULT_GOAL := help
.PHONY: help test race fuzz lint ci bench benchcmp

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## all tests
	go test ./...

race: ## short tests under the race detector
	.ci/run race

fuzz: ## every fuzz target for FUZZTIME, 5s unless set
	.ci/run fuzz

lint: ## gofmt, go vet and staticcheck
	.ci/run format vet lint

ci: ## everything that a change must pass
	.ci/run
