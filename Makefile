# Every target is a line or two of go commands that also work by hand.

PACKAGES = ./... ./cmd/...

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: test
test: ## run the tests
	go test $(PACKAGES)

.PHONY: short
short: ## run the tests that build no worker
	go test -short $(PACKAGES)

.PHONY: race
race: ## run the tests that build no worker under the race detector
	go test -short -race $(PACKAGES)

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@files=$$(gofmt -l $$(git ls-files '*.go' | grep -v /testdata/)); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }
	go vet $(PACKAGES)
	go tool -C cmd staticcheck ./... ../...

.PHONY: bench
bench: ## run the Go benchmarks
	go test -run '^$$' -bench . -benchmem $(PACKAGES)

.PHONY: puzzles
puzzles: ## run foray on the puzzles
	go test ./cmd/foray -run TestPuzzles -v

.PHONY: presubmit
presubmit: lint test race ## all that must pass before a commit lands
