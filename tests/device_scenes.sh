#!/bin/sh
# Runs whole scenes on a device, audited after every step (but for bodies on a grid), and on the CPU, and prints
# how far the states are from each other. Ends with 1 if a run failed, was not clean, or the states are farther
# apart than the bound. By `make device-scenes`, with
#
#   DEVICE        default opencl
#   SCENES        names of apps/scenes
#   STEPS         per run; default 200
#   EVERY         steps from one comparison to the next; default 4
#   SECONDS_EACH  of wall clock per run; default 600
#   TOLERANCES    of contacts [m] and of residuals; default "1e-8 1e-9", a hundredth and less of a world's own,
#                 so that what differs is not what solves leave undone; `wall` has its own, 1e-6 m, since the
#                 hard impact of rigid bodies takes minutes otherwise
#
# Columns:
#
#   end      done; late: SECONDS_EACH came first; failed
#   steps    that both have made
#   contact  the first step with contacts
#   differ   the first step whose states are not the same to the bit; -: none is
#   near     the largest distance of a vertex from where the CPU has it, [m], at the comparisons up to 40
#            steps after states first differ; in `wall` up to step 8, after which a box hits bricks,
#   bound    and what it may be: see below
#   far      the same at the last comparison, which is no more than reported: what touches and slides
#            has more than one solution, and what falls over goes its own way
#   cpu      ms of the processor per step on the CPU, and on the device
#
# The bound: a solve leaves each contact some tolerances, in displacement of its step, and so in the
# velocity that goes on: N steps after states first differ they are N (N + 1) / 2 times two tolerances
# apart. Rigid bodies that are hit hard have no bound that is of use. Bodies on a grid are solved to
# rounding: 1e-9 m.
set -u
PLIANT=${PLIANT:-build/pliant}
DEVICE=${DEVICE:-opencl}
SCENES=${SCENES:-rings bunnies armadillo-light pyramid chain wall euler-cylinders}
STEPS=${STEPS:-200}
EVERY=${EVERY:-4}
SECONDS_EACH=${SECONDS_EACH:-600}
TOLERANCES=${TOLERANCES:-1e-8 1e-9}
folder=out/device-scenes
failed=0

# run_one SCENE DEVICE FOLDER OPTIONS: sets `end` and `cpu`.
run_one() {
    rm -rf "$3" && mkdir -p "$3"
    times >"$folder/before"
    "$PLIANT" run "$1" --device "$2" --steps "$STEPS" --every "$EVERY" --out "$3" --format obj \
        --stats "$3.csv" --max-seconds "$SECONDS_EACH" --quiet $4 >"$3.log" 2>&1
    case $? in
    0) end=done ;;
    3) end=late ;;
    *) end=failed ;;
    esac
    times >"$folder/after"
    # Of what was started here, user and system, on the last line of `times`.
    cpu=$(awk 'function seconds(t,  part) { split(t, part, /[ms]/); return 60 * part[1] + part[2] }
        FNR == 2 { now = seconds($1) + seconds($2); if (NR == 2) first = now }
        END { print now - first }' "$folder/before" "$folder/after")
}

# column FILE.csv NAME
column() {
    awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}

# distance STEP: the largest of a vertex in the frames of a step.
distance() {
    frame=$(printf '%06d' "$1")
    for run in cpu device; do cat "$name-$run"/*"$frame"*.obj | grep '^v ' >"$folder/$run.places"; done
    paste -d ' ' "$folder/cpu.places" "$folder/device.places" | awk '
        function size(x) { return x < 0 ? -x : x }
        { for (k = 2; k <= 4; k++) if (size($k - $(k + 4)) > most) most = size($k - $(k + 4)) }
        END { printf "%.3g\n", most }'
}

# compare: a line of the table.
compare() {
    for run in cpu device; do column "$name-$run.csv" hash >"$folder/$run.hashes"; done
    steps=$(paste "$folder/cpu.hashes" "$folder/device.hashes" | awk 'NF == 2 { n++ } END { print n + 0 }')
    differ=$(paste "$folder/cpu.hashes" "$folder/device.hashes" | awk 'NF == 2 && $1 != $2 { print NR; exit }')
    contact=$(column "$name-cpu.csv" contacts | awk '$1 > 0 { print NR; exit }')
    near=0 bound=0 far=0 at=$EVERY until=$((${differ:-$STEPS} + 40))
    [ "$1" != wall ] || until=8
    while [ "$at" -le "$steps" ]; do
        far=$(distance "$at")
        if [ "$at" -le "$until" ]; then
            near=$far
            bound=$(awk -v n="$at" -v from="${differ:-100000}" -v scene="$1" -v tolerance="$contact_tolerance" 'BEGIN {
                n = n - from + 1
                print n <= 0 ? 0 : scene ~ /^euler/ ? 1e-9 : tolerance * n * (n + 1) }')
            within=$(awk -v a="$near" -v b="$bound" 'BEGIN { print a <= b ? "yes" : "no" }')
            [ "$within" = yes ] || { failed=$((failed + 1)) && echo "$1: $near m apart after $at steps"; }
        fi
        at=$((at + EVERY))
    done
    printf '%-16s %-7s %5d %7s %6s %9s %9s %9s %8.1f %8.1f\n' "$1" "$end" "$steps" "${contact:--}" "${differ:--}" \
        "$near" "$bound" "$far" "$(awk -v a="$cpu_here" -v n="$steps" 'BEGIN { print n ? 1000 * a / n : 0 }')" \
        "$(awk -v a="$cpu" -v n="$steps" 'BEGIN { print n ? 1000 * a / n : 0 }')"
}

mkdir -p "$folder"
printf '%-16s %-7s %5s %7s %6s %9s %9s %9s %17s\n' scene end steps contact differ near bound far 'cpu here, there'
for scene in $SCENES; do
    name=$folder/$scene
    contact_tolerance=${TOLERANCES% *} audit=--audit
    tolerances="--contact-tolerance $contact_tolerance --residual-tolerance ${TOLERANCES#* }"
    case $scene in
    euler*) tolerances='' audit='' ;; # bodies on a grid have none of these
    wall) tolerances='' contact_tolerance=1e-6 ;;
    esac
    run_one "$scene" cpu "$name-cpu" "$tolerances"
    [ "$end" != failed ] || failed=$((failed + 1))
    cpu_here=$cpu
    run_one "$scene" "$DEVICE" "$name-device" "$tolerances $audit"
    compare "$scene"
    [ "$end" != failed ] || { failed=$((failed + 1)) && grep '^pliant: ' "$name-device.log" | head -n 2; }
done
[ $failed -eq 0 ] || echo "$failed failed"
[ $failed -eq 0 ]
