# Two commands do everything on a fresh machine: `make run` and `make test`. `make help` lists the rest.
# What they need beyond Go is named, with the packages, in scripts/need.sh.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

GO    ?= go
STAGE := scripts/stage.sh

# Lockstep over random traffic in `make test`: seeds SEED .. SEED+SEEDS-1, PACKETS each.
SEED    ?= 1
SEEDS   ?= 200
PACKETS ?= 2000
# Runs side by side.
JOBS    ?= 2
# What `tandem version` says. Given to the linker: Go's own stamp is often switched off, and knows no worktrees.
REVISION = $(shell git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## ---- build and run

.PHONY: build
build: ## build bin/tandem
	@$(GO) build -ldflags '-X main.revision=$(REVISION)' -o bin/tandem ./cmd/tandem

.PHONY: run
run: need build ## every scenario on RTL and model in lockstep: a table and one verdict line
	@bin/tandem run --all --jobs $(JOBS)

.PHONY: regress-smoke
regress-smoke: need build ## the plan smoke: scenarios on RTL, random traffic on RTL and model; a few minutes
	@bin/tandem regress smoke --jobs $(JOBS)

.PHONY: five-bugs
five-bugs: need ## five planted bugs in one regression, 6 seeds of each test: exactly five causes, each repeated
	@TANDEM_SEEDS=6 $(GO) test ./cmd/tandem -count=1 -run 'TestScriptsOnRTL/five_bugs'

.PHONY: bugs
bugs: need build ## plant every fault, one at a time, and mutants of Yosys around the steps: they must be caught
	@bin/tandem bugs
	@bin/tandem mutate --check

.PHONY: grade
grade: need build ## grade golden vectors and lockstep by the mutants that they kill, in the steps and around them; half an hour
	@bin/tandem vectors grade --check --jobs $(JOBS)

.PHONY: grade-steps
grade-steps: need build ## the steps alone, by the vectors of their blocks: a minute or two
	@bin/tandem vectors grade --check --around 0

.PHONY: bench
bench: need build ## speed of lockstep, RTL and model, against their bounds
	@bin/tandem bench cosim --check
	@bin/tandem bench rtl --check
	@bin/tandem bench model --check
	@bin/tandem bench vectors --check

## ---- checks

.PHONY: check
check: need ## fast gate: format, vet, static analysis, modules, import rules, generated files, RTL lint
	@$(STAGE) format       scripts/format.sh
	@$(STAGE) modules      $(GO) mod verify
	@$(STAGE) vet          $(GO) vet ./...
	@$(STAGE) staticcheck  $(GO) tool staticcheck ./...
	@$(STAGE) imports      scripts/gotest.sh --min 5 ./internal/arch/...
	@$(STAGE) generated    $(GO) run ./cmd/wiregen --check
	@$(STAGE) rtl-lint     rtl/lint/lint.sh

.PHONY: test
test: check test-go test-farm test-vectors test-formal test-lockstep test-report ## all tests; some 20 minutes on 2 cores
	@echo "all tests passed"

.PHONY: test-go
test-go: need ## Go tests with the race detector, in shuffled order; a skipped test is a failure
	@$(STAGE) go-test scripts/gotest.sh --min 200 -race -shuffle=on -timeout 15m ./...

.PHONY: test-farm
test-farm: ## regressions on a Slurm of this machine: munged, slurmctld, slurmd on loopback, torn down afterwards; under a minute
	@scripts/need.sh munged slurmctld slurmd sbatch
	@$(STAGE) farm scripts/gotest.sh --min 6 -tags farm -run '^TestFarm$$' -timeout 5m ./cmd/tandem

.PHONY: test-vectors
test-vectors: need ## golden vectors: the set is what the generators make, steps on source and netlist, the receive side as exported benches, and the RTL benches
	@$(STAGE) rtl-benches  rtl/common/tb/run.sh
	@$(STAGE) golden-set   $(GO) run ./cmd/tandem vectors bless
	@$(STAGE) step-vectors scripts/step_vectors.sh
	@$(STAGE) grade-steps  $(GO) run ./cmd/tandem vectors grade --check --block key,place --around 0
	@$(STAGE) vector-benches scripts/vector_benches.sh

.PHONY: test-formal
test-formal: need ## the window step proven at 16 bits, and the proof shown to fail on planted bugs
	@$(STAGE) formal-16 rtl/formal/prove.sh --bits 16 --bugs

.PHONY: test-lockstep
test-lockstep: need build ## RTL and model in lockstep: all scenarios, random seeds, bins of coverage, golden vectors, every preset; every row of full
	@$(STAGE) lockstep       bin/tandem run --all --random $(PACKETS) --seed $(SEED) --seeds $(SEEDS) --cover --jobs $(JOBS)
	@$(STAGE) golden-rtl     bin/tandem vectors check --dut rtl
	@$(STAGE) lockstep-small bin/tandem run --all --random $(PACKETS) --seed $(SEED) --seeds 10 --preset small --mode digest --jobs $(JOBS)
	@$(STAGE) lockstep-full  bin/tandem run --all --random $(PACKETS) --seed $(SEED) --seeds 4 --preset full
	@$(STAGE) touch-full     bin/tandem run --touch --preset full

.PHONY: test-report
test-report: ## the page of a regression in headless Chromium (about 300 MB, installed if it is missing): opened, filtered, copied from
	@scripts/need.sh chromium
	@$(GO) vet -tags browser ./cosim/regress/report
	@$(STAGE) report-page scripts/gotest.sh --min 4 -tags browser -run Browser ./cosim/regress/report

.PHONY: prove
prove: need ## the window step proven at its full 256 bits; minutes
	@$(STAGE) formal-256 rtl/formal/prove.sh --bits 256

## ---- upkeep

.PHONY: gen
gen: ## write all generated files again from model/spec
	@$(GO) run ./cmd/wiregen

.PHONY: golden
golden: build ## show what changes in the golden vectors, by rule; REASON="..." takes it over
	@bin/tandem vectors bless $(if $(REASON),--reason "$(REASON)")

.PHONY: need
need: ## install the Debian packages that are missing, or name them and stop
	@scripts/need.sh

.PHONY: clean
clean: ## remove what was built and recorded here
	@rm -rf bin build runs
