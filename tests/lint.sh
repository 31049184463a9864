#!/bin/sh
# The include directions of the house, the tables of files in its READMEs, and cppcheck. Quiet when all
# is well.
set -eu
status=0

# A room and the rooms below it that its files may include.
below() {
    case $1 in
    base) echo "" ;;
    meshes | lcp) echo "base" ;;
    solvers) echo "base lcp" ;;
    collision) echo "base meshes" ;;
    fem | rigid) echo "base meshes solvers" ;;
    gpu) echo "base meshes lcp solvers fem collision" ;;
    euler) echo "base lcp meshes solvers" ;;
    contact) echo "base meshes solvers collision" ;;
    world) echo "base meshes solvers fem rigid collision contact" ;;
    tests) echo "base lcp meshes solvers fem rigid collision gpu contact world euler apps" ;;
    apps/common) echo "base" ;;
    apps/scene | apps/plot | apps/tetrahedra | apps/import) echo "base apps/common" ;;
    apps/export) echo "base apps/common apps/scene" ;;
    apps/render) echo "base apps/common apps/scene apps/plot apps/export" ;;
    apps/view) echo "base apps/common apps/scene apps/export apps/render apps/tetrahedra" ;;
    apps/lab) echo "base apps/common apps/scene apps/plot" ;;
    apps/cli) echo "base apps/lab apps/common apps/import apps/tetrahedra apps/scene apps/plot apps/export apps/render apps/view" ;;
    apps/bench) echo "$(below tests) apps/common apps/tetrahedra apps/scene apps/plot apps/export apps/render apps/lab apps/cli" ;;
    *) echo "" ;;
    esac
}

# The room of a file; in apps, each folder is one.
room_of() {
    case $1 in
    apps/*) echo "${1%/*}" ;;
    *) echo "${1%%/*}" ;;
    esac
}

# What a file includes by a path, as rooms.
rooms_included() {
    case $1 in
    gpu/kernels/*) sed -n 's|^#include "\.\./\.\./\([a-z]*\)/.*|\1|p' "$1" ;;
    apps/*)
        sed -n -e 's|^#include "\.\./\.\./\([a-z]*\)/.*|\1|p' \
            -e 's|^#include "\.\./\([a-z]*\)/.*|apps/\1|p' "$1" ;;
    *) sed -n 's|^#include "\.\./\([a-z]*\)/.*|\1|p' "$1" ;;
    esac | sort -u
}

for file in $(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cc' '*.cu'); do
    room=$(room_of "$file")
    for other in $(rooms_included "$file"); do
        case " $(below "$room") " in
        *" $other "*) ;;
        *) echo "$file: includes $other/, which is not below $room/" && status=1 ;;
        esac
    done
done

# Every file has its row in the README of its room, of apps or of gpu: a.c as `a.c` or `a.[ch]`. Tests mirror modules.
for file in $(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cc' '*.cu' '*.sh' '*.py'); do
    room=${file%/*} name=${file##*/}
    case $file in include/* | tests/test_*) continue ;; apps/*) room=apps ;; gpu/*) room=gpu ;; esac
    grep -q -w -F -e "$name" -e "${name%.[ch]}.[ch]" "$room/README.md" 2>/dev/null && continue
    echo "$file: $room/README.md does not name it" && status=1
done

git grep -n -e '^<<<<<<< ' -e '^>>>>>>> ' -- . && status=1

# legacyUninitvar takes an array that a loop fills, handed over in a compound literal, for one that is read.
cppcheck --quiet --std=c17 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --suppress=legacyUninitvar --suppress=normalCheckLevelMaxBranches --error-exitcode=1 \
    -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234 -Iinclude \
    $(git ls-files --cached --others --exclude-standard '*.c' | grep -v ^tests/) || status=1

exit $status
