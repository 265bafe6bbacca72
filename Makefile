# Everything a reader needs, each target complete in itself: Python >= 3.11 and make are enough.
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# uv takes seconds; pip is for networks that only pip is set up for.
INSTALL := --quiet --constraint constraints.txt --editable '.[test]'

# Notebooks and tests run side by side; one BLAS thread each keeps them from fighting over the cores.
export OMP_NUM_THREADS      ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS      ?= 1

# What is recorded and compared is computed with the vector arithmetic of AVX2, which all x86-64
# processors of the last ten years have (hlsvm/reproduce/_pool.py sets the same).
ifneq ($(shell grep -m 1 -o avx2 /proc/cpuinfo 2>/dev/null),)
figures paper lab unit notebooks: export OPENBLAS_CORETYPE ?= Haswell
figures paper lab unit notebooks: export NPY_DISABLE_CPU_FEATURES ?= X86_V4 AVX512_ICL AVX512_SPR
endif

# Pictures are not compared.
notebooks: export HLSVM_PICTURES ?= sketch

.PHONY: help setup figures paper test lint unit notebooks portable lab site bench coverage clean
help:
	@echo "make figures  execute all notebooks at quick scale and say where the gallery is"
	@echo "make test     lint, test suite, and nbval on every notebook"
	@echo "make paper    fetch the real data and recompute everything at paper scale (resumable)"
	@echo "make lab      open JupyterLab at the first notebook; LABFLAGS=... is passed on"
	@echo "make site     web pages of the book, the gallery and the API, in out/site"
	@echo "make portable nbval and estimators under the arithmetic of other processors and Pythons"
	@echo "make bench    side-by-side speed tables"
	@echo "make coverage share of the library's lines that the tests run (compiled kernels left out)"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hlsvm needs Python >= 3.11, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	$(BIN)/uv pip install --python $(BIN)/python $(INSTALL) || $(BIN)/python -m pip install $(INSTALL)
	$(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements
	$(BIN)/hlsvm warmup --n-jobs $(JOBS)
	touch $(READY)

setup: $(READY)

figures: $(READY)
	$(BIN)/hlsvm run --scale quick --n-jobs $(JOBS)

paper: $(READY)
	$(BIN)/hlsvm data fetch --all --keep-going
	$(BIN)/hlsvm run --scale paper --record --resume --n-jobs 1
	$(BIN)/hlsvm report --write

test: lint unit notebooks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# In the order of the files: those with few tests, which are the slowest, do not come last.
unit: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder tests

notebooks: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadscope -p no:cacheprovider --nbval --nbval-current-env --nbval-cell-timeout 300 notebooks

coverage: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadscope --cov --cov-report term:skip-covered tests

portable: $(READY)
	$(BIN)/python -m tests.portable --jobs $(JOBS)

lab: $(READY)
	$(BIN)/jupyter lab --ServerApp.root_dir='$(CURDIR)' $(LABFLAGS) notebooks/00_start_here.ipynb

site: $(READY)
	$(BIN)/hlsvm site

bench: $(READY)
	$(BIN)/hlsvm bench

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis *.egg-info
