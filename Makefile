# Pliant. `make help` lists the targets; `make demo` and `make check` need nothing but make itself.

VERSION := $(shell awk '/define PL_VERSION_M|define PL_VERSION_P/ {printf "%s%s", s, $$3; s="."}' include/pliant.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

CC ?= gcc
CXX ?= g++
PREFIX ?= /usr/local
B ?= build
O ?= -O2 -g
SCANS_DIR ?= build/scans
UNITY_DIR ?= build/unity

# No contraction: the same bits with and without fused multiply-add in the instruction set.
WARNINGS := -Wall -Wextra -Wconversion
COMMON := $(O) $(SANITIZE) -Iinclude -D_GNU_SOURCE -fopenmp -ffp-contract=off -fno-math-errno \
          -fPIC -fvisibility=hidden -MMD -MP $(WARNINGS)
CFLAGS_ALL := -std=c17 -Wstrict-prototypes $(COMMON) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(COMMON) $(CXXFLAGS)
LIB_LIBS := -lmeshoptimizer -lgmp -lz -lm -lpthread
APP_LIBS = -ltet -lcjson $(shell pkg-config --libs epoxy egl)

# The library is every room but apps and tests; TetGen (AGPL) is linked into the command only.
LIB_SRC := $(filter-out %_tetgen.c,$(wildcard base/*.c meshes/*.c))
APP_SRC := $(wildcard apps/*.c)
APP_CXX := $(wildcard apps/*.cc)
TEST_SRC := $(wildcard tests/test_*.c)

LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
APP_OBJ := $(APP_SRC:%.c=$(B)/%.o) $(APP_CXX:%.cc=$(B)/%.o)
TESTS := $(TEST_SRC:tests/%.c=$(B)/tests/%)

.PHONY: all lib demo check setup install lint asan ubsan tsan cov fuzz clean help

all: $(B)/pliant lib ## build the library and the command

lib: $(B)/libpliant.a $(B)/libpliant.so ## build libpliant.a and libpliant.so only

$(B)/libpliant.a: $(LIB_OBJ)
	$(AR) rcs $@.part $^ && mv $@.part $@

$(B)/libpliant.so: $(LIB_OBJ)
	$(CC) $(O) $(SANITIZE) -shared -fopenmp -Wl,-soname,libpliant.so.$(SOVERSION) -o $@ $^ $(LIB_LIBS)

$(B)/pliant: $(APP_OBJ) $(B)/libpliant.a
	$(CXX) $(O) $(SANITIZE) -fopenmp -o $@ $^ $(APP_LIBS) $(LIB_LIBS)

$(B)/%.o: %.c | $(B)/ready
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c $< -o $@

$(B)/%.o: %.cc | $(B)/ready
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS_ALL) -c $< -o $@

# Looks for the packages once; says in one sentence which are missing.
$(B)/ready: base/setup.sh
	@base/setup.sh missing build
	@mkdir -p $(B) && touch $@

# --- tests ----------------------------------------------------------------------------------------

$(UNITY_DIR)/unity.c:
	@base/setup.sh unity $(UNITY_DIR)

$(SCANS_DIR)/bunny.off:
	@base/setup.sh scans $(SCANS_DIR)

$(B)/unity.o: $(UNITY_DIR)/unity.c
	@mkdir -p $(@D)
	$(CC) $(O) $(SANITIZE) -fPIC -DUNITY_INCLUDE_DOUBLE -DUNITY_SUPPORT_64 -c $< -o $@

$(B)/tests/%: tests/%.c $(B)/unity.o $(B)/libpliant.a | $(B)/ready
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -DUNITY_INCLUDE_DOUBLE -DUNITY_SUPPORT_64 -isystem $(UNITY_DIR) -o $@ \
		$(filter-out %.h,$^) $(LIB_LIBS)

-include $(LIB_OBJ:.o=.d) $(APP_OBJ:.o=.d) $(TESTS:=.d)
