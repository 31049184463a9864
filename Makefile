# Pliant. `make help` lists the targets; `make demo` and `make check` need nothing but make itself.

VERSION := $(shell awk '/define PL_VERSION_/ {printf "%s%s", s, $$3; s="."}' include/pliant.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

CC := gcc
CXX := g++
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Where to build; the sanitizers use their own folders below build/.
B ?= build
O ?= -O2 -g
SCANS_DIR ?= build/scans
UNITY_DIR ?= build/unity
MUJOCO_DIR ?= build/mujoco
NEWTON_DIR ?= build/newton
READERS_DIR ?= build/readers

# `make V=1` shows the whole command lines.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# No contraction: the same bits whether or not the machine has a fused multiply-add.
COMMON := $(O) $(SANITIZE) -Iinclude -D_GNU_SOURCE -pthread -ffp-contract=off -fno-math-errno -fPIC \
          -fvisibility=hidden -MMD -MP -Wall -Wextra -Wconversion -Wno-psabi $(if $(PLAIN),-DPL_PLAIN)
LINK := $(O) $(SANITIZE) -pthread -Wl,--as-needed $(LDFLAGS)
LIB_LIBS := -lgmp -lz -lm

# Optional, for the solvers that use them: CXSparse and OpenBLAS with LAPACK. `make CXSPARSE=0 OPENBLAS=0`
# builds without.
CXSPARSE ?= $(if $(wildcard /usr/include/suitesparse/cs.h),1,0)
OPENBLAS ?= $(if $(shell pkg-config --exists openblas 2>/dev/null && echo 1),1,0)
ifeq ($(CXSPARSE),1)
COMMON += -DPL_CXSPARSE -isystem /usr/include/suitesparse
LIB_LIBS += -lcxsparse
endif
ifeq ($(OPENBLAS),1)
COMMON += -DPL_OPENBLAS
LIB_LIBS += $(shell pkg-config --libs openblas)
endif
# And in the command, for files of FCLIB: HDF5. `make HDF5=0` builds without.
HDF5 ?= $(if $(shell pkg-config --exists hdf5-serial 2>/dev/null && echo 1),1,0)
ifeq ($(HDF5),1)
HDF5_FLAGS := -DPL_HDF5 $(patsubst -I%,-isystem %,$(shell pkg-config --cflags hdf5-serial))
HDF5_LIBS := $(shell pkg-config --libs hdf5-serial)
endif
# And for devices: kernels for OpenCL (its headers; drivers are looked for at run time) and CUDA (nvcc,
# which has to make device code for several generations). `make OPENCL=0 CUDA=0` builds without gpu/.
OPENCL ?= $(if $(wildcard /usr/include/CL/cl.h),1,0)
NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc) nvcc)
CUDA ?= $(if $(shell command -v $(NVCC)),1,0)
ifeq ($(OPENCL),1)
COMMON += -DPL_OPENCL
endif
ifeq ($(CUDA),1)
COMMON += -DPL_CUDA
endif
GPU := $(filter 1,$(OPENCL) $(CUDA))
ifneq ($(GPU),)
COMMON += -DPL_GPU
endif
# After what is optional, which adds to COMMON.
CFLAGS_ALL := -std=c17 -Wstrict-prototypes $(COMMON) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(COMMON) $(CXXFLAGS)
APP_LIBS = $(HDF5_LIBS) -ltet -lcjson $(shell pkg-config --libs epoxy glfw3)

# The library is every room but apps and tests. TetGen (AGPL) and its one file in C++ belong to the
# command, as does everything that draws.
LIB_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard base/*.c lcp/*.c meshes/*.c solvers/*.c \
           fem/*.c rigid/*.c collision/*.c contact/*.c world/*.c euler/*.c))
GPU_BACKENDS := opencl source cuda fatbin
GPU_OBJ := $(patsubst gpu/%.c,$(B)/gpu/%.o,$(filter-out $(GPU_BACKENDS:%=gpu/%.c),$(wildcard gpu/*.c))) $(B)/gpu/table.o
GPU_OBJ += $(if $(filter 1,$(OPENCL)),$(B)/gpu/opencl.o $(B)/gpu/source.o)
GPU_OBJ += $(if $(filter 1,$(CUDA)),$(B)/gpu/cuda.o $(B)/gpu/fatbin.o)
LIB_OBJ += $(if $(GPU),$(GPU_OBJ))
APP_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out apps/cli/main.c,$(wildcard apps/*/*.c))) \
           $(B)/apps/tetrahedra/tetgen.o
EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard examples/*.c))
TESTS := $(patsubst %.c,$(B)/%,$(filter-out $(if $(GPU),,tests/test_gpu%) $(if $(filter 1,$(CUDA)),,tests/test_gpu_cuda.c), \
         $(wildcard tests/test_*.c)))

.PHONY: all lib examples meshes man demo check setup install uninstall lint sanitize sanitize-job asan ubsan \
        tsan cov fuzz clean help demo-job \
        pictures pictures-job collection check-job check-exports check-exports-job ccd-million audit-scenes solver-scenes device-scenes peers peers-job \
        peers-rigid peers-siconos
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/pliant lib ## build the library and the command

lib: $(B)/libpliant.a $(B)/libpliant.so ## build libpliant.a and libpliant.so only

$(B)/libpliant.a: $(LIB_OBJ)
$(B)/libapps.a: $(APP_OBJ)
$(B)/libpliant.a $(B)/libapps.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libpliant.so: $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LINK) -shared -Wl,-soname,libpliant.so.$(SOVERSION) -o $@ $^ $(LIB_LIBS)

$(B)/pliant: $(B)/apps/cli/main.o $(B)/libapps.a $(B)/libpliant.a
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LINK) -o $@ $^ $(APP_LIBS) $(LIB_LIBS)

# The rooms of inner loops.
$(B)/fem/%.o $(B)/lcp/%.o $(B)/solvers/%.o $(B)/collision/%.o $(B)/contact/%.o $(B)/world/%.o $(B)/euler/%.o: CFLAGS_ALL += $(if $(SANITIZE),,-O3)

$(B)/apps/lab/fclib_hdf5.o: CFLAGS_ALL += $(HDF5_FLAGS)

$(B)/%.o: %.c Makefile | $(B)/ready
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@

# The kernels as text for OpenCL, as a table with their C, and as device code for CUDA: for each major
# generation, and as PTX for later ones. No contraction there either.
KERNELS := $(wildcard gpu/kernels/*.h */*_kernel.h fem/*.h collision/*.h) base/portable.h include/pliant.h
CUDA_ARCH ?= all-major
NVCC_FLAGS := -arch=$(CUDA_ARCH) --threads 2 -std=c++17 -O3 -fmad=false -Werror all-warnings -Iinclude

$(B)/gpu/source.c $(B)/gpu/table.c: $(B)/gpu/%.c: gpu/embed.sh $(KERNELS)
	@mkdir -p $(@D)
	$(call say,MAKE,$@)
	$(Q)gpu/embed.sh $* >$@

$(B)/gpu/source.o $(B)/gpu/table.o: $(B)/gpu/%.o: $(B)/gpu/%.c Makefile | $(B)/ready
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -c $< -o $@

$(B)/gpu/kernels.fatbin: gpu/cuda.cu $(KERNELS) Makefile
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) $(NVCC_FLAGS) -fatbin $< -o $@

$(B)/gpu/fatbin.o: $(B)/gpu/kernels.fatbin
$(B)/gpu/fatbin.o: CFLAGS_ALL += -DPL_FATBIN='"$(B)/gpu/kernels.fatbin"'
CUDA_INCLUDE := -isystem $(dir $(shell command -v $(NVCC)))../include
$(B)/gpu/cuda.o: CFLAGS_ALL += -DPL_CUDA_OLDEST=75 $(CUDA_INCLUDE)

$(B)/%.o: %.cc Makefile | $(B)/ready
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) -c $< -o $@

# Looks for the packages once, and says in one sentence which are missing.
$(B)/ready: base/setup.sh
	@base/setup.sh missing build
	@mkdir -p $(B) && touch $@

setup: ## install the Debian packages that building and testing need (root or sudo)
	@base/setup.sh packages build test

# --- the demo -------------------------------------------------------------------------------------

demo: ## set up, build, mesh, simulate and film soft bodies that tumble down stairs: out/stairs.mp4
	@base/setup.sh packages build
	@base/setup.sh packages film || true # there are pictures without it
	@+$(MAKE) --no-print-directory -j$(JOBS) demo-job

# Its list is the script's, which is installed, too.
MESHES := $(patsubst %,build/meshes/%.msh,$(shell apps/scenes/make-meshes.sh --list))

meshes: $(MESHES) ## build, and make the meshes of the scenes: bunnies, armadillos, a ball

$(SCANS_DIR)/bunny.off $(SCANS_DIR)/armadillo.off &:
	@base/setup.sh scans $(SCANS_DIR)

$(filter build/meshes/bunny%,$(MESHES)): $(SCANS_DIR)/bunny.off
$(filter build/meshes/armadillo%,$(MESHES)): $(SCANS_DIR)/armadillo.off
$(MESHES): build/meshes/%.msh: | $(B)/pliant
	@PLIANT=$(B)/pliant SCANS_DIR=$(SCANS_DIR) apps/scenes/make-meshes.sh -o $(@D) $*

out/%.vtu: build/meshes/%.msh
	@mkdir -p $(@D)
	$(B)/pliant mesh $< --info -o $@ >out/$*.txt

# A scene of bodies that touch; its film of 8 s, of the frames of the run, and two of its moments.
out/stairs/done: apps/scenes/stairs.json build/meshes/bunny.msh build/meshes/bunny-smooth.msh \
		build/meshes/armadillo-light.msh build/meshes/armadillo-smooth.msh | $(B)/pliant
	$(B)/pliant run $< --out $(@D) --format pc2 --fps 25 --stats $(@D)/stats.csv --checkpoint-every 20 --quiet
	@touch $@

out/stairs.mp4: out/stairs/done
	@! command -v ffmpeg >/dev/null || \
	$(B)/pliant render out/stairs -o $@ --fps 25 --size 640x360 --passes 6 --quiet

STILLS := 000240 000840

$(STILLS:%=out/stairs-%.png): out/stairs-%.png: out/stairs/done
	$(B)/pliant render apps/scenes/stairs.json --resume out/stairs/checkpoint-$*.plc --size 960x540 -o $@

demo-job: out/bunny.vtu out/armadillo-light.vtu $(STILLS:%=out/stairs-%.png) out/stairs.mp4
	@echo "The bunny in tetrahedra:        out/bunny.vtu (quality: out/bunny.txt)"
	@echo "The armadillo in tetrahedra:    out/armadillo-light.vtu (quality: out/armadillo-light.txt)"
	@echo "Statistics of every step:       out/stairs/stats.csv (pliant plot draws them)"
	@echo "Bodies that tumble down stairs: $(STILLS:%=out/stairs-%.png)"
	@if test -e out/stairs.mp4; then echo "The same as a film:             out/stairs.mp4"; \
	else echo "No film: ffmpeg is not installed."; fi

# --- the pictures of the README --------------------------------------------------------------------

# The moments are telling, and affordable: 15 min of one core, of which the bunnies take 8. A run goes on
# from its last checkpoint, in out/pictures, so that it may be interrupted, and a second time costs only
# the drawing.
STRIP := bunnies rings armadillo-light stack strings
STRIP_bunnies := 0.8
STRIP_rings := 0.8
STRIP_armadillo-light := 0.8
STRIP_stack := 0.2
STRIP_strings := 2.2

# Films of mechanisms at work, by the cameras of their scenes: those of these that there are.
FILMS := $(notdir $(basename $(wildcard $(patsubst %,apps/scenes/%.json,forklift trucks gripper cradle bunny-hoist))))

pictures: ## simulate and draw the pictures of the README, and films of mechanisms (half an hour)
	@base/setup.sh packages build
	@+$(MAKE) --no-print-directory -j$(JOBS) pictures-job

pictures-job: $(STRIP:%=picture-%) picture-stairs $(FILMS:%=out/films/%.mp4)
	@ls -l $(STRIP:%=apps/pictures/%.png) apps/pictures/stairs.png out/films

# Without ffmpeg the frames come into out/films/NAME.frames.
out/films/%.mp4: apps/scenes/%.json build/meshes/bunny.msh build/meshes/bunny-smooth.msh | $(B)/pliant
	@mkdir -p $(@D)
	$(B)/pliant render $< -o $@ --fps 25 --size 640x360 --passes 6 --quiet

.PHONY: $(STRIP:%=picture-%) picture-stairs
picture-stairs: out/stairs/done
	$(B)/pliant render apps/scenes/stairs.json --resume out/stairs/checkpoint-000300.plc --size 800x450 \
		--passes 64 -o apps/pictures/stairs.png

$(STRIP:%=picture-%): picture-%: apps/scenes/%.json build/meshes/bunny.msh build/meshes/armadillo-light.msh \
		build/meshes/armadillo-fine.msh | $(B)/pliant
	@mkdir -p out/pictures/$* apps/pictures
	@last=$$(ls out/pictures/$*/checkpoint-*.plc 2>/dev/null | tail -n 1); \
	$(B)/pliant run $< --time $(STRIP_$*) --out out/pictures/$* --every 1000000 --format obj \
		--checkpoint-every 20 --threads 1 --quiet $${last:+--resume $$last}
	$(B)/pliant render $< --resume $$(ls out/pictures/$*/checkpoint-*.plc | tail -n 1) --camera strip \
		--size 480x360 --passes 64 -o apps/pictures/$*.png

# --- a collection of contact problems -------------------------------------------------------------

collection: $(B)/pliant ## record 200 contact problems of the scenes as files of FCLIB: out/collection
	@mkdir -p out
	@PLIANT=$(abspath $(B)/pliant) apps/scenes/make-collection.sh out/collection
	@echo "Problems, manifest.csv and manifest.json: out/collection"

# --- examples: programs to copy from, on the public header and libpliant alone -----------------------

examples: $(EXAMPLES) ## build the programs of examples/

$(B)/examples/%: examples/%.c include/pliant.h $(B)/libpliant.a
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=c17 -Wall -Wextra $(O) $(SANITIZE) -Iinclude -pthread -o $@ $< $(B)/libpliant.a $(LIB_LIBS)

# --- tests ----------------------------------------------------------------------------------------

check: ## set up, build, run every test
	@base/setup.sh packages build test
	@+$(MAKE) --no-print-directory -j$(JOBS) check-job

check-job: all $(EXAMPLES) $(TESTS) $(SCANS_DIR)/bunny.off
	@PLIANT=$(B)/pliant EXAMPLES=$(B)/examples SCANS_DIR=$(SCANS_DIR) tests/run.sh $(TESTS)

# In `make check`, what needs the readers is skipped unless they are there already.
check-exports: ## open exported frames with USD, trimesh, meshio and plyfile, which it fetches
	@base/setup.sh packages build test exports
	@base/setup.sh readers $(READERS_DIR)
	@+$(MAKE) --no-print-directory -j$(JOBS) check-exports-job

EXPORT_TESTS := $(addprefix $(B)/tests/test_,series export export_bodies frame_files pc2 usda)

check-exports-job: $(B)/pliant $(EXPORT_TESTS)
	@PLIANT=$(B)/pliant READERS_DIR=$(READERS_DIR) tests/run.sh $(EXPORT_TESTS)

$(UNITY_DIR)/src/unity.c:
	@base/setup.sh unity $(UNITY_DIR)

# Tests that count heap calls or limit address space leave that to the sanitizers that do the same.
OWN_HEAP := $(if $(findstring =address,$(SANITIZE))$(findstring =thread,$(SANITIZE)),-DPL_OWN_HEAP)
UNITY_FLAGS := $(OWN_HEAP) -DUNITY_INCLUDE_DOUBLE= -DUNITY_SUPPORT_64= -isystem $(UNITY_DIR)/src

# Half of the time of this file goes into where its inlined variables are, for debuggers.
ifneq ($(findstring gcc,$(CC)),)
$(B)/fem/assemble.o: CFLAGS_ALL += -fno-var-tracking-assignments
endif

$(B)/unity.o: $(UNITY_DIR)/src/unity.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(O) $(SANITIZE) $(UNITY_FLAGS) -c $< -o $@

$(B)/tests/%.o: tests/%.c Makefile $(UNITY_DIR)/src/unity.c | $(B)/ready
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(UNITY_FLAGS) -c $< -o $@

$(B)/tests/%: $(B)/tests/%.o $(B)/unity.o $(B)/libapps.a $(B)/libpliant.a
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LINK) -o $@ $^ $(APP_LIBS) $(LIB_LIBS)

# A driver of CUDA that runs kernels in C, found in the place of the system's.
$(B)/tests/libcuda.so.1: tests/fake_cuda.c tests/fake_cuda.h Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(CUDA_INCLUDE) -shared -Wl,-soname,libcuda.so.1 -o $@ $<

$(B)/tests/test_gpu_cuda.o: CFLAGS_ALL += $(CUDA_INCLUDE)
$(B)/tests/test_gpu_cuda: $(B)/tests/libcuda.so.1
$(B)/tests/test_gpu_cuda: LINK += -Wl,-rpath,'$$ORIGIN'

ccd-million: $(B)/tests/test_ccd ## try continuous detection on a million pairs (a minute)
	@PLIANT_CCD_PAIRS=1000000 $<

audit-scenes: $(B)/pliant ## audit every step of the scenes; tests/audit_scenes.sh says what can be set
	@PLIANT=$(B)/pliant tests/audit_scenes.sh

solver-scenes: $(B)/pliant ## scenes of mechanisms by several solvers; tests/solver_scenes.sh says what can be set
	@PLIANT=$(B)/pliant tests/solver_scenes.sh

device-scenes: $(B)/pliant ## whole scenes on a device beside the CPU; tests/device_scenes.sh says what can be set
	@PLIANT=$(B)/pliant tests/device_scenes.sh

# Other simulators, each a program of its own that peers directs.
PEERS := $(addprefix $(B)/peers/,peers pliant bullet bullet-double mujoco)
RIGID_PEERS := $(addprefix $(B)/peers/rigid-,bullet bullet-double ode mujoco)
PEER_OBJ := $(addprefix $(B)/tests/peers/,serve.o workload.o)

peers: ## compare with Bullet and MuJoCo, which it installs and fetches; see tests/peers/README.md
	@base/setup.sh packages build peers
	@base/setup.sh mujoco $(MUJOCO_DIR)
	@+$(MAKE) --no-print-directory -j$(JOBS) peers-job
	@mkdir -p out
	@$(B)/peers/peers $(B)/peers $(PEERS_OPTIONS)

peers-job: $(PEERS) $(RIGID_PEERS)

peers-rigid: $(B)/pliant ## compare rigid bodies with Bullet, ODE, MuJoCo and Newton, likewise
	@base/setup.sh packages build peers
	@base/setup.sh mujoco $(MUJOCO_DIR)
	@base/setup.sh newton $(NEWTON_DIR)
	@+$(MAKE) --no-print-directory -j$(JOBS) $(RIGID_PEERS) $(B)/peers/rigid-newton
	@$(B)/pliant bench rigid $(PEERS_OPTIONS)

peers-siconos: $(B)/pliant ## compare solvers with those of Siconos, which it installs; see tests/peers/README.md
	@base/setup.sh packages build peers
	@+$(MAKE) --no-print-directory -j$(JOBS) $(B)/peers/siconos
	@$(B)/pliant bench siconos $(PEERS_OPTIONS)

$(B)/peers/siconos: $(B)/tests/peers/siconos.o $(B)/libapps.a $(B)/libpliant.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LINK) -o $@ $^ -lsiconos_numerics -lsiconos_externals $(APP_LIBS) $(LIB_LIBS)

# Its headers include each other without their folder, and are not ours to warn about.
$(B)/tests/peers/siconos.o: tests/peers/siconos.c Makefile | $(B)/ready
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -isystem /usr/include/siconos -isystem /usr/include/siconos/numerics -c $< -o $@

$(B)/peers/peers: $(addprefix $(B)/tests/peers/,peers.o judge.o workload.o)
$(B)/peers/pliant: $(B)/tests/peers/peer_pliant.o $(PEER_OBJ)
$(B)/peers/bullet: $(B)/tests/peers/peer_bullet.o $(PEER_OBJ)
$(B)/peers/bullet: PEER_LIBS = $(shell pkg-config --libs bullet)
$(B)/peers/bullet-double: $(B)/tests/peers/peer_bullet-double.o $(PEER_OBJ)
$(B)/peers/bullet-double: PEER_LIBS = $(shell pkg-config --libs bullet-float64)
$(B)/peers/mujoco: $(B)/tests/peers/peer_mujoco.o $(PEER_OBJ)
$(B)/peers/mujoco: PEER_LIBS = -L$(MUJOCO_DIR) -lmujoco -Wl,-rpath,$(abspath $(MUJOCO_DIR))
$(PEERS): $(B)/libapps.a $(B)/libpliant.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(PEER_LIBS) $(APP_LIBS) $(LIB_LIBS)

$(B)/peers/rigid-bullet: $(B)/tests/peers/trial_bullet.o
$(B)/peers/rigid-bullet: PEER_LIBS = $(shell pkg-config --libs bullet)
$(B)/peers/rigid-bullet-double: $(B)/tests/peers/trial_bullet-double.o
$(B)/peers/rigid-bullet-double: PEER_LIBS = $(shell pkg-config --libs bullet-float64)
$(B)/peers/rigid-ode: $(B)/tests/peers/trial_ode.o
$(B)/peers/rigid-ode: PEER_LIBS = $(shell pkg-config --libs ode)
$(B)/peers/rigid-mujoco: $(B)/tests/peers/trial_mujoco.o
$(B)/peers/rigid-mujoco: PEER_LIBS = -L$(MUJOCO_DIR) -lmujoco -Wl,-rpath,$(abspath $(MUJOCO_DIR))
$(RIGID_PEERS): $(B)/tests/peers/trial_serve.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LINK) -o $@ $(filter %.o,$^) $(PEER_LIBS) -lm
$(B)/peers/rigid-newton: tests/peers/trial_newton.py Makefile
	@mkdir -p $(@D)
	$(Q)printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' $(abspath $(NEWTON_DIR)/bin/python) $(abspath $<) >$@
	$(Q)chmod +x $@

# Bullet's headers are not ours to warn about.
BULLET_OBJ := $(addprefix $(B)/tests/peers/,peer_bullet.o trial_bullet.o)
BULLET_DOUBLE_OBJ := $(BULLET_OBJ:.o=-double.o)
$(BULLET_OBJ): PEER_FLAGS = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags bullet))
$(BULLET_DOUBLE_OBJ): PEER_FLAGS = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags bullet-float64))
define compile_bullet
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) -Wno-maybe-uninitialized $(PEER_FLAGS) -c $< -o $@
endef
$(BULLET_OBJ): $(B)/tests/peers/%.o: tests/peers/%.cc Makefile
	$(compile_bullet)
$(BULLET_DOUBLE_OBJ): $(B)/tests/peers/%-double.o: tests/peers/%.cc Makefile
	$(compile_bullet)
$(B)/tests/peers/%.o: tests/peers/%.c Makefile | $(B)/ready
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -isystem $(MUJOCO_DIR)/include -c $< -o $@

# Too slow for every change, left to make asan and make ubsan:
SLOW := film impossible decimate bench audit simulation inspect run_contact view \
        scenes bdf2 ccd_file tetrahedralize hertz pictures stability euler gpu_collision gpu_run
# What a sanitizer would not look at: only the plain build is installed.
SLOW += install
QUICK_TESTS := $(filter-out $(SLOW:%=$(B)/tests/test_%),$(TESTS))

sanitize: ## run the quick tests under the address and undefined-behaviour sanitizers at once
	@base/setup.sh packages build test
	@+ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 $(MAKE) --no-print-directory -j$(JOBS) sanitize-job \
		B=build/sanitize O="-O1 -g1" \
		SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"

sanitize-job: all $(EXAMPLES) $(QUICK_TESTS) $(SCANS_DIR)/bunny.off
	@PLIANT=$(B)/pliant EXAMPLES=$(B)/examples SCANS_DIR=$(SCANS_DIR) tests/run.sh $(QUICK_TESTS)

asan: ## run the tests under the address sanitizer
	@+ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 $(MAKE) --no-print-directory check B=build/asan \
		SANITIZE="-fsanitize=address -fno-omit-frame-pointer"
ubsan: ## run the tests under the undefined-behaviour sanitizer
	@+$(MAKE) --no-print-directory check B=build/ubsan SANITIZE="-fsanitize=undefined -fno-sanitize-recover=undefined"
tsan: ## run the tests under the thread sanitizer (clang)
	@base/setup.sh packages tsan
	@+TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0:detect_deadlocks=0:allocator_may_return_null=1:suppressions=$(CURDIR)/tests/tsan.supp \
		$(MAKE) --no-print-directory check B=build/tsan CC=clang CXX=clang++ O="-O1 -g" \
		SANITIZE=-fsanitize=thread
cov: ## run the tests and print the share of lines that they reach, by file
	@+$(MAKE) --no-print-directory check B=build/cov O="-O0 -g" SANITIZE=--coverage
	@tests/coverage.sh build/cov

lint: ## check layout, the include directions and the usual suspects
	@base/setup.sh packages lint
	@clang-format --dry-run --Werror $(shell git ls-files '*.c' '*.h' '*.cc')
	@tests/lint.sh

# --- fuzzing: one program per reader; tests/fuzz_reader.c says how to run it ----------------------

FUZZ := $(addprefix $(B)/fuzz/,off obj ply stl gmsh vtk vtu tetgen)
FUZZ_OBJ := $(LIB_OBJ:$(B)/%=$(B)/fuzz/objects/%)
FUZZ_FLAGS := -std=c17 -O1 -g -Iinclude -D_GNU_SOURCE -ffp-contract=off -fno-sanitize-recover=all

fuzz: $(FUZZ) ## build a libFuzzer program per reader (needs clang)

$(B)/fuzz/tetgen: FUZZ_DEFINE := -DPL_FUZZ_TETGEN
$(B)/fuzz/%: FUZZ_DEFINE = -DPL_FUZZ_READER=pl_read_$*
$(FUZZ): $(B)/fuzz/%: tests/fuzz_reader.c $(FUZZ_OBJ)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined $(FUZZ_DEFINE) -o $@ $^ $(LIB_LIBS)

$(B)/fuzz/objects/%.o: %.c Makefile | $(B)/ready
	@command -v clang >/dev/null || { echo "make fuzz: install the package clang" >&2; exit 1; }
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@

# --- installing -----------------------------------------------------------------------------------

# Each command has its cmd_NAME.c.
COMMANDS := $(patsubst cmd_%.c,%,$(notdir $(wildcard apps/*/cmd_*.c)))
MAN := $(B)/man/pliant.1 $(COMMANDS:%=$(B)/man/pliant-%.1)

man: $(MAN) $(B)/man/pliant.bash ## build, and print manual pages and completion for bash into build/man

$(B)/man/pliant.1: PAGE = --help=man
$(B)/man/pliant.bash: PAGE = --help=bash
$(B)/man/pliant-%.1: PAGE = $(patsubst pliant-%.1,%,$(@F)) --help=man
$(MAN) $(B)/man/pliant.bash: $(B)/pliant
	@mkdir -p $(@D)
	$(call say,HELP,$@)
	$(Q)$(B)/pliant $(PAGE) >$@

# Files by which other programs find the library; PREFIX is in one of them.
PACKAGE_FILES := $(addprefix $(B)/package/,pliant.pc pliant-config.cmake pliant-config-version.cmake)

$(PACKAGE_FILES): $(B)/package/%: base/package/%.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|g' \
		-e 's|@LIBS@|$(LIB_LIBS)|g' -e 's|@LIB_LIST@|$(subst $() $(),;,$(LIB_LIBS))|g' $< >$@

# Phony by name: .SECONDARY has made every target secondary, and a secondary one that is missing forces nothing.
.PHONY: FORCE

# What goes where, base/install.sh knows, for both ways.
INSTALL = B=$(B) VERSION=$(VERSION) COMMANDS="$(COMMANDS)" base/install.sh

install: all man $(PACKAGE_FILES) ## install command, library, scenes, manual pages and more below DESTDIR/PREFIX
	@$(INSTALL) put "$(DESTDIR)$(PREFIX)"

uninstall: ## remove what make install put there
	@$(INSTALL) remove "$(DESTDIR)$(PREFIX)"

clean: ## remove what was built and made; keep what was fetched
	find build -mindepth 1 -maxdepth 1 ! -name apt ! -name unity ! -name scans \
		! -name mujoco ! -name readers -exec rm -rf {} +
	rm -rf out

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(LIB_OBJ:.o=.d) $(APP_OBJ:.o=.d) $(TESTS:=.d) $(B)/apps/cli/main.d $(FUZZ_OBJ:.o=.d) \
         $(wildcard $(B)/tests/peers/*.d)
