# Every target is a line or two of go commands that also work by hand.

PACKAGES = ./cmd/... ./...

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

# The tests take minutes. The limit only ends a test that hangs: a machine that is
# busy with other things may take ten times as long.
TIMEOUT = -timeout 60m

# Lint vets more than go test does, which would vet all packages and what they import again.
# Without debug information a test is linked in two thirds of the time. Only compilers and linkers
# collect garbage rarely: the tests do not see toolexec.
TEST = go test -vet=off -ldflags=-w -toolexec='env $(RARE_GC)' -parallel $(PARALLEL) $(TIMEOUT)

# Tests wait for processes and deadlines, so a package runs one more at once than there are processors.
PARALLEL = $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

# Compilers and analyses take a sixth less processor time if they collect garbage rarely,
# and staticcheck 1.7 GB of memory, not 0.8.
RARE_GC = GOGC=400

.PHONY: test
test: ## run the tests
	$(TEST) $(PACKAGES)

.PHONY: long
long: ## run the tests, and the long ones that make test leaves out
	FORAY_LONG=all $(TEST) $(PACKAGES)

.PHONY: short
short: ## run the tests that build no worker
	$(TEST) -short $(PACKAGES)

.PHONY: race
race: ## run the tests that build no worker under the race detector
	$(TEST) -short -race $(PACKAGES)

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@files=$$(gofmt -l $$(git ls-files '*.go' | grep -v /testdata/)); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }
	$(RARE_GC) go vet $(PACKAGES)
	$(RARE_GC) go tool -C cmd staticcheck ./... ../...

# The files of other systems are compiled only there.
.PHONY: vet-systems
vet-systems: ## type-check for Windows, macOS and FreeBSD
	$(RARE_GC) go run ./cmd/internal/systems windows darwin freebsd

.PHONY: windows
windows: ## run foray fuzz, and tests of processes and files, as programs for Windows by wine
	go run ./cmd/internal/onwine $(ARGS)

.PHONY: bench
bench: ## run the Go benchmarks
	go test -run '^$$' -bench . -benchmem $(PACKAGES)

.PHONY: metrics
metrics: ## print lines, lengths of functions, wide structs and the words of comments; ARGS=-long lists places
	go run ./cmd/internal/metrics $(ARGS)

# Each measures foray as a whole and writes docs/bench/NAME-DATE.tsv; a run that was
# interrupted goes on where it stopped. ARGS="-h" lists the flags.
BENCH = go run ./cmd/internal/bench

.PHONY: bench-packages
bench-packages: ## run foray on the list of real packages (25 min)
	$(BENCH) packages $(ARGS)

.PHONY: bench-loop
bench-loop: ## measure steps, values and sequences per second of CPU time
	$(BENCH) loop $(ARGS)

PKG = github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha

.PHONY: profile
profile: ## print where the time of a run goes; PKG=package, ARGS="-t 30s -args -frontier=false"
	$(BENCH) profile -package $(PKG) $(ARGS)

.PHONY: bench-balance
bench-balance: ## measure how default flags divide the time, against composing only, and against one worker (50 min)
	$(BENCH) balance $(ARGS)

.PHONY: bench-waiting
bench-waiting: ## measure packages that wait or end their process (25 min); ARGS="-before program" compares
	$(BENCH) waiting $(ARGS)

.PHONY: bench-frontier
bench-frontier: ## measure the sides of the frontier that are flipped, against composing on (70 min)
	$(BENCH) frontier $(ARGS)

.PHONY: bench-containers
bench-containers: ## cover small containers by all short sequences, all small structures and fuzzing (3 min)
	$(BENCH) containers $(ARGS)

.PHONY: bench-memory
bench-memory: ## measure resident memory over ten minutes
	$(BENCH) memory $(ARGS)

SEED = 1

.PHONY: bench-draw
bench-draw: ## list findings in 15 packages drawn by SEED=n from docs/bench/modules.txt, to be judged by hand (15 min)
	$(BENCH) draw -seed $(SEED) $(ARGS)

.PHONY: bench-labels
bench-labels: ## have the findings of docs/bench/labels.tsv judged again, and compare tiers with verdicts (20 min)
	$(BENCH) labels $(ARGS)

.PHONY: weights
weights: ## fit the weights of package odds to docs/bench/labels.tsv
	go run ./cmd/internal/fit

.PHONY: bench-bugs
bench-bugs: ## find the known bugs of docs/bench/bugs; ARGS=-mode=verify runs only their reproducers
	$(BENCH) bugs $(ARGS)

.PHONY: puzzles
puzzles: ## run foray on the puzzles
	go test $(TIMEOUT) ./cmd/foray -run TestPuzzles -v

.PHONY: hostile
hostile: ## run foray on packages that harm their process, and kill it (15 min)
	go test $(TIMEOUT) ./cmd/foray -run 'TestHostile|TestKilled|TestPrintedCode' -hostile -v

.PHONY: presubmit
presubmit: lint vet-systems long race ## all analyses and tests
