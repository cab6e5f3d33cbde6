# Everything a user or a developer runs. Each target says what it does as it goes.
#   make setup   installs what is needed from the system's packages (as root, or through sudo)
#   make         builds everything, tests included; make command builds build/fovea alone
#   make test    set-up, build and the fast tests, from nothing
#   make demo    set-up, the command, and a translator trained in a minute, tested and looked into
SHELL := /bin/bash
PACKAGES := g++ binutils cmake ninja-build ccache \
  libdnnl-dev libhwy-dev libfmt-dev libcli11-dev nlohmann-json3-dev \
  libsentencepiece-dev libyaml-cpp-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev librsvg2-dev pkg-config fonts-nanum \
  libgtest-dev libgmock-dev libbenchmark-dev \
  python3-dev pybind11-dev python3-numpy python3-pytest python3-venv
# libomp-dev: clang-tidy reads the code as clang does, and wants its omp.h.
LINT_PACKAGES := clang-format clang-tidy libomp-dev
JOBS := $(shell nproc)

.PHONY: all build command setup setup-lint test test-long demo bench lint format asan tsan fuzz clean

all: build

setup:
	@tools/setup.sh $(PACKAGES)

setup-lint:
	@tools/setup.sh $(LINT_PACKAGES)

build/build.ninja: CMakeLists.txt CMakePresets.json
	@echo "== configure (release)"
	@cmake --preset release > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log

build: build/build.ninja
	@echo "== build"
	@cmake --build --preset release -j $(JOBS)

command: build/build.ninja
	@echo "== build the command"
	@cmake --build --preset release -j $(JOBS) --target fovea_command

test: setup
	@$(MAKE) --no-print-directory build
	@echo "== test"
	@ctest --test-dir build --output-on-failure -j $(JOBS) -LE long

test-long: build
	@echo "== test, the long ones too"
	@ctest --test-dir build --output-on-failure

demo: setup
	@$(MAKE) --no-print-directory command
	@tools/demo.sh

bench: build
	@build/fovea bench
	@build/bench_ops

lint: setup-lint build/build.ninja
	@tools/lint.sh

format:
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

# asan: all tests under address and undefined sanitizers; tsan: those of the rooms with threads under the thread sanitizer.
asan tsan:
	@tools/run_sanitized.sh $@

# Readers on a great many inputs that are nearly right, under sanitizers: make fuzz RUNS=100000 SEED=7
RUNS ?= 20000
SEED ?= 1
fuzz:
	@cmake --preset asan > /dev/null
	@cmake --build --preset asan -j $(JOBS) --target fuzz_readers
	@cd build-asan && tests/fuzz_readers $(RUNS) $(SEED)

clean:
	@rm -rf build build-asan build-tsan build-debug python/build
