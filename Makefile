# jobserver. `make` alone lists all targets.

SWIFT ?= swift
CLANG ?= $(dir $(shell which $(SWIFT)))clang
PORT ?= 8080
DATA ?= ./data
DURATION ?= 60
SEEDS ?= 100
ROUNDS ?= 100
SEED ?= 1
LARGEST ?= 20000000
RELEASE = .build/release/jobserver
PAGE_PYTHON = .build/venv-page/bin/python
COMMIT = $(shell git describe --always --dirty 2>/dev/null)
# SOURCE_DATE_EPOCH makes two builds of one commit equal.
DATE = $(shell date -u $(if $(SOURCE_DATE_EPOCH),-d @$(SOURCE_DATE_EPOCH)) +%F)
# With the Swift libraries linked statically: the program runs where Swift is not installed, starts with less memory, and is faster.
BUILD_RELEASE = JOBSERVER_COMMIT=$(COMMIT) JOBSERVER_DATE=$(DATE) $(SWIFT) build -c release --static-swift-stdlib
# Debug information costs a third of the build time; `make test DEBUG_INFO=dwarf` includes it.
DEBUG_INFO ?= none
BUILD_TESTS = $(SWIFT) build --build-tests -debug-info-format $(DEBUG_INFO)
SOURCES = Package.swift Sources Tests Benchmarks Examples
QUICK = StrictJSONTests|HTTPMessageTests|JobKitTests|JobSpecTests|ScheduleTests|JobJournalTests|JobStoreTests|TidyTests

.DEFAULT_GOAL := help
.PHONY: help run build deb tarball image packages-proof reproducible test examples fast check format lint tsan graphs simulate fuzz crash scale pictures api curl curl-next bench bench-peers costs bounds hostile clean suites

help: ## list all targets
	@echo "usage: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: ## build the server and start it on this machine (PORT=8080 DATA=./data)
	@.ci/install build
	$(BUILD_RELEASE) --product jobserver
	$(RELEASE) serve --port $(PORT) --data $(DATA)

build: ## build the release binary into .build/release/jobserver
	@.ci/install build
	$(BUILD_RELEASE) --product jobserver

deb: build ## make a Debian package of the release binary in .build/packages
	JOBSERVER=$(RELEASE) Packaging/deb

tarball: build ## make an archive of the release binary, for other distributions
	JOBSERVER=$(RELEASE) Packaging/tarball

image: build ## make an OCI image of the release binary, without an engine
	JOBSERVER=$(RELEASE) Packaging/image

packages-proof: deb tarball image ## install and purge the packages on a bare Debian (root, network), print sizes and times
	@.ci/install packages
	Packaging/proof

reproducible: ## build the packages of HEAD twice in two folders, compare them, write their checksums
	@.ci/install build
	Packaging/reproducible

test: ## build everything and run the whole test suite
	@.ci/install build test
	$(BUILD_TESTS)
	Tests/run

examples: ## build and run the programs in Examples: own kinds, durable jobs, the library alone, calls, other frameworks
	@.ci/install build test
	Examples/custom-kind/run.sh
	Examples/durable/run.sh
	Examples/library/run.sh
	Examples/calls/run.sh
	Examples/frameworks/run.sh

fast: ## run the tests that need no network and no second process
	$(BUILD_TESTS)
	$(SWIFT) test --skip-build --filter '$(QUICK)'

check: lint fast ## run before a commit: format, warnings as errors, quick tests

format: ## format all Swift files
	$(SWIFT) format -i -r $(SOURCES)

lint: ## list Swift files that are not formatted or break a style rule
	$(SWIFT) format lint --strict -r -p $(SOURCES)

# The contract starts servers that it kills and measures; what they run is in the other tests.
tsan: ## run the tests of the modules and of the server under the thread sanitizer
	@.ci/install build test
	mkdir -p .build/tsan
	$(CLANG) -c -O1 -fPIC Tests/Sanitize/mutex.c -o .build/tsan/mutex.o
	$(SWIFT) build --build-tests --sanitize=thread --build-path .build/tsan -Xlinker $(CURDIR)/.build/tsan/mutex.o
	TSAN_OPTIONS=halt_on_error=0:exitcode=66 CONTRACT=no HUNG_SECONDS=900 \
	  BUILD="--sanitize=thread --build-path .build/tsan -Xlinker $(CURDIR)/.build/tsan/mutex.o" Tests/run

graphs: ## run random graphs of 5,000 operations, and random programs that wait (SEEDS=100)
	$(BUILD_TESTS)
	JOBKIT_GRAPHS=$(SEEDS) $(SWIFT) test --skip-build --filter 'random graph'
	JOBKIT_PROGRAMS=$(SEEDS)00 $(SWIFT) test --skip-build --filter 'random program'

simulate: SEEDS = 1000
simulate: SEED =
simulate: SERVERS = 1
simulate: PLANT =
simulate: MEANING =
simulate: ## simulate the engine with crashes and faults, compare specs (SEEDS=1000 SERVERS=3 MEANING=3), or print one run (SEED=7)
	@.ci/install build
	$(BUILD_RELEASE) --product Simulate
	SERVERS=$(SERVERS) PLANT=$(PLANT) MEANING=$(MEANING) Tests/Simulation/run .build/release/Simulate $(if $(SEED),seed $(SEED),$(SEEDS))

fuzz: ## feed both parsers random input (DURATION=60 for each)
	@.ci/install build
	Tests/Fuzz/run json $(DURATION)
	Tests/Fuzz/run http $(DURATION)

crash: ## kill the server hard (ROUNDS=100 SEED=1), watch its syncs, simulate power failures and disk faults
	@.ci/install build test
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) ROUNDS=$(ROUNDS) SEED=$(SEED) Tests/Crash/rounds
	JOBSERVER=$(RELEASE) ROUNDS=$(ROUNDS) SEED=$(SEED) Tests/Crash/doors
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/queues
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/schedules
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/bulk
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/synced
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/powercut
	JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Crash/faults

scale: ## kill, stop, cut off and fail over three servers and their PostgreSQL, copy stores (SEED=1 LARGEST=20000000)
	@.ci/install build test
	$(BUILD_RELEASE) --product jobserver
	set -e; for proof in rounds doors database stops proxy failover keys across feed copies; do \
	  JOBSERVER=$(RELEASE) SEED=$(SEED) Tests/Scale/$$proof; done
	JOBSERVER=$(RELEASE) SEED=$(SEED) LARGEST=$(LARGEST) Tests/Scale/contents

pictures: ## take the pictures of the page in Docs/Pictures
	@.ci/install build page
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) $(PAGE_PYTHON) -B Tests/Page/pictures.py

api: ## send valid and invalid requests derived from openapi.yaml to one server, and to two in turn (DURATION=60)
	@.ci/install build test
	$(BUILD_RELEASE) --product jobserver
	Tests/Live/schemathesis $(RELEASE) $(DURATION)
	JOBSERVER=$(RELEASE) Tests/Scale/inturn Tests/Live/schemathesis "" $(DURATION)

curl: ## send the commands of curl's own pages, and lines as browsers copy them, with curl and as jobs, and compare
	@.ci/install build test
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) Tests/Curl/compare

curl-next: ## run the tests of the calls with the newer libcurl of Debian's backports (network)
	@.ci/install build test
	$(BUILD_TESTS)
	Tests/Curl/next

suites: ## read callbacks and answers with the tools of others, call curl's test server with its cases (10 minutes)
	@.ci/install build suites
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) Tests/Suites/run

bench: ## measure on this machine and print a table (TIME=5 REPS=3 MEASURES="submit noop")
	@.ci/install build bench
	Benchmarks/run alone

costs: ## count instructions, allocations, bytes and system calls of a job, write Benchmarks/COSTS.md, fail when they grew
	@.ci/install build bench
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) Benchmarks/costs

bounds: ## look for requests whose work, memory or hold on a loop is out of proportion, in 4 to 6 minutes
	@.ci/install build bench test
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) Benchmarks/bounds

hostile: ## let one tenant attack for five minutes while another one works (TIME=300 SERVERS=1)
	@.ci/install build bench test
	$(BUILD_RELEASE) --product jobserver
	JOBSERVER=$(RELEASE) Benchmarks/hostile

bench-peers: ## the same with other servers for comparison; writes Benchmarks/RESULTS.md (PEERS="redis postgresql")
	@.ci/install build bench peers
	Benchmarks/run peers

clean: ## remove everything that was built
	rm -rf .build
