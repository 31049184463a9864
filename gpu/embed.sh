#!/bin/sh
# Makes what the build needs of the kernels, from kernels/kernels.h and what it includes:
#
#   embed.sh source    C: the whole text for OpenCL's compiler, as an array
#   embed.sh table     C: names and signatures of all kernels, and how the oracle calls each
set -eu
cd "$(dirname "$0")/.."

# A file with the files that it includes in quotes in their place, each once.
whole() {
    awk '
    function folder(path) { sub(/[^\/]*$/, "", path); return path }
    function plain(path) { while (sub(/[^\/.]+\/\.\.\//, "", path)) ; return path }
    function put(path,    line, name) {
        if (path in seen) return
        seen[path] = 1
        while ((getline line < path) > 0) {
            if (line ~ /^#include "/) {
                name = line
                sub(/^#include "/, "", name)
                sub(/".*/, "", name)
                put(plain(folder(path) name))
            } else print line
        }
        close(path)
    }
    BEGIN { put("gpu/kernels/kernels.h") }'
}

# One line for each kernel: its name, and its arguments as KIND TYPE, separated by commas. Kinds: r a
# buffer that is read, w one that is written, i l numbers, d f likewise.
# Kernels stand in kernels/ alone; other rooms' headers use the word for inner loops.
signatures() {
    cat gpu/kernels/*.h | awk '
    /^PL_KERNEL / { text = ""; on = 1 }
    on { text = text " " $0 }
    on && /\)$/ {
        on = 0
        sub(/^ *PL_KERNEL void /, "", text)
        name = text
        sub(/\(.*/, "", name)
        sub(/^[^(]*\(/, "", text)
        sub(/\)$/, "", text)
        n = split(text, argument, /, */)
        line = name ":"
        for (i = 1; i <= n; i++) {
            a = argument[i]
            gsub(/^ +/, "", a)
            type = a
            if (a ~ /^PL_(IN|OUT)\(/) {
                kind = a ~ /^PL_IN/ ? "r" : "w"
                sub(/^PL_[A-Z]*\(/, "", type)
                sub(/\).*/, "", type)
            } else {
                sub(/ .*/, "", type)
                kind = type == "int32_t" ? "i" : type == "int64_t" ? "l" : type == "double" ? "d" : type == "float" ? "f" : "?"
                if (kind == "?") { print name ": unknown type of argument: " a > "/dev/stderr"; exit 1 }
            }
            line = line (i > 1 ? "," : "") kind " " type
        }
        print line
    }'
}

# What kernels know of the public header, which OpenCL's compiler cannot read.
from_public() {
    for type in 'enum pl_material_kind' 'enum pl_pair_kind' 'struct pl_closest' 'struct pl_impact'; do
        sed -n "/^typedef $type {/,/^}/p" include/pliant.h
    done
}

# The types of the public header stand behind those of base/portable.h.
source_text() {
    printf 'const char pl_gpu_source[] =\n'
    whole | awk -v types="$(from_public | sed 's|//.*||')" '
        { print }
        /^#define PL_CONSTANT __constant/ { print types }' | sed -e 's|^ *//.*||' -e '/^$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&\\n"/'
    printf '    ;\n'
}

table() {
    printf '#include "gpu/oracle.h"\n#include "gpu/kernels/kernels.h"\n\n'
    signatures | awk -F: '{
        n = split($2, argument, ",")
        printf "static void call_%s(void *const *arg)\n{\n    %s(", $1, $1
        kinds = ""
        for (i = 1; i <= n; i++) {
            kind = substr(argument[i], 1, 1)
            type = substr(argument[i], 3)
            kinds = kinds kind
            star = kind == "r" ? "const " type " *const *" : kind == "w" ? type " *const *" : "const " type " *"
            printf("%s*(%s)arg[%d]", (i > 1 ? ", " : ""), star, i - 1)
        }
        printf ");\n}\n\n"
        rows = rows sprintf("    {\"%s\", \"%s\", call_%s},\n", $1, kinds, $1)
    }
    END { printf "const pl_gpu_kernel pl_gpu_kernels[] = {\n%s};\n\n", rows }'
    cat <<'END'
const int32_t pl_gpu_n_kernel = (int32_t)(sizeof pl_gpu_kernels / sizeof *pl_gpu_kernels);

void pl_oracle_call(const pl_gpu_kernel *kernel, int64_t group, int32_t size, bool backward, void *const *arg)
{
    pl_at = (pl_item_place){.group = group, .size = size, .step = backward ? -1 : 1};
    kernel->call(arg);
}
END
}

case ${1-} in
source) source_text ;;
table) table ;;
*) echo "embed.sh: source or table" >&2 && exit 1 ;;
esac
