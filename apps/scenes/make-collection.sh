#!/bin/sh
# Records contact problems of scenes, small to large and easy to degenerate, adds made ones, and writes
# them as files of FCLIB (as .plp where a law is not a cone), with a manifest.
#
#   make-collection.sh DIR      PLIANT is the command; COUNT (200) how many problems about
#
# The same command gives the same files. Some minutes, and up to 1 GB while it works.
set -eu

PLIANT=${PLIANT:-pliant}
COUNT=${COUNT:-200}
out=$1
work=$out.part
rm -rf "$work"
mkdir -p "$work"

# scene, steps to take, problems to keep for each 200 in all: those at even distances.
scenes='
tower 60 8
arch 120 8
dominoes 100 8
cards 40 6
boxes 25 8
slope-stick 100 6
slope-slide 100 6
top 100 6
atwood 60 6
linkage 60 6
gears 100 6
crane 60 8
forklift 60 8
gripper 40 8
offshore 60 8
shapes 100 8
hertz 3 3
stack 60 8
rings 230 8
stack-ten 100 8
turning-slide 60 6
parkour 80 8
winch 60 8
forwarder 60 6
wall 5 3
'

made='stack:n=5 stack:n=20 stack:n=50 stack:n=10,ratio=100 stack:n=10,ratio=10000 stack:n=10,ratio=0.001
stack:n=10,mu=0 stack:n=100,mu=0.9 wall:n=3 wall:n=6 wall:n=10 wall:n=15 wall:n=6,ratio=100 arch:n=5 arch:n=15
arch:n=31 arch:n=15,mu=0.3 arch:n=15,ratio=50 chain:n=10 chain:n=50 chain:n=20,ratio=1000 pile:n=10,seed=1
pile:n=30,seed=2 pile:n=100,seed=3 pile:n=300,seed=4 pile:n=30,seed=5,ratio=10000 pile:n=30,seed=6,mu=0
pile:n=30,seed=7,mu=2 pile:n=1000,seed=8 wall:n=20'

# Keeps $2 of the problems in folder $1, at even distances.
thin() {
    ls "$1" | sort -V | awk -v keep="$2" '{name[NR] = $0}
        END {for (i = 1; i <= NR; i++)
            if (int(i * keep / NR) == int((i - 1) * keep / NR)) print name[i]}' |
        while read -r name; do rm "$1/$name"; done
}

printf '%s' "$scenes" | while read -r scene steps keep; do
    [ -n "$scene" ] || continue
    keep=$(((keep * COUNT + 199) / 200))
    if "$PLIANT" run "$scene" --steps "$steps" --record "$work/$scene" --quiet >"$work/log" 2>&1 ||
        [ -d "$work/$scene" ]; then
        thin "$work/$scene" "$keep"
        rmdir "$work/$scene" 2>/dev/null || true
    else
        printf '%s: %s\n' "$scene" "$(tail -n 1 "$work/log")" >&2
    fi
done
rm -f "$work/log"
for recipe in $made; do
    "$PLIANT" solve --generate "$recipe" --save "$work/made-$(printf '%s' "$recipe" | tr ':,=' '---').plp" \
        --max-seconds 60 --json >/dev/null 2>&1 || true
done

rm -rf "$out"
code=0 # 2: not all were solved, which the manifest tells
"$PLIANT" solve "$work" --collect "$out" --csv "$work/all.csv" >"$work/table" || code=$?
[ $code = 0 ] || [ $code = 2 ] || { tail -n 5 "$work/table" >&2; exit $code; }
rm -rf "$work"
