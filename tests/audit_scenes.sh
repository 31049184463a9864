#!/bin/sh
# Runs scenes with an audit after every step and prints a line per run: what it reached and what it
# took. Ends with 1 if a run failed: bodies intersect or touch, a step failed, or nothing was done.
# A run that SECONDS_EACH has ended counts with the steps it made. By `make audit-scenes`, with
#
#   SCENES        names of apps/scenes; default all in which bodies touch, the large ones last
#   STEPS         per run; default 2000
#   SECONDS_EACH  of wall clock per run; default 600
#   DT_FACTOR     times the scene's step: 1 or 2; default 1
#   JITTER        seeds for --jitter, a run for each; default none
#   THREADS       default 1
#   OPTIONS       more options of pliant run, such as "--solver cr"
#
# The statistics and the output of each run are kept in out/audit/. Columns:
#
#   end         done; late: SECONDS_EACH came first; or how it failed
#   rounds      mean and most of a step; halv: halvings per 1,000 steps
#   gap         the smallest of all steps [m]; fb, friction, normal: the largest errors [m]
#   inv         tets that are inverted or flat, the most in a step
#   rise        of energy in a step beyond the work of what moves by itself, the most [J]
#   v_rms       at the end [m/s]
#   ms          per step: all of it, and its parts fem, collision, solve
#   MB          of memory at most
set -u
PLIANT=${PLIANT:-build/pliant}
SCENES=${SCENES:-slope-stick slope-slide turning-slide impact stack arch hertz stairs blocks rings rings-stiff \
bunnies pyramid armadillo-light strings wedge cubes mixed bearing armadillo}
STEPS=${STEPS:-2000}
SECONDS_EACH=${SECONDS_EACH:-600}
DT_FACTOR=${DT_FACTOR:-1}
JITTER=${JITTER:-}
THREADS=${THREADS:-1}
OPTIONS=${OPTIONS:-}
folder=out/audit
failed=0

# Makes the meshes that a scene names and `make meshes` knows.
make_meshes() {
    for mesh in $(grep -o '[a-z-]*\.msh' "apps/scenes/$1.json" | sort -u); do
        [ -f "build/meshes/$mesh" ] || make --no-print-directory "build/meshes/$mesh" >"$folder/make.log" 2>&1 || return 1
    done
}

# The scene's step [s], times the factor.
step_of() {
    sed -n 's/.*"dt": *\([0-9.e-]*\).*/\1/p' "apps/scenes/$1.json" | awk -v factor="$DT_FACTOR" \
        'NR == 1 {dt = $1} END {printf "%.17g", factor * (dt > 0 ? dt : 0.001)}'
}

# A line of the table from the statistics: summarize FILE.csv END MB. Elastic energy is that of the
# beginning of a step, so that the balance of a step is known with the next row.
summarize() {
    awk -F , -v end="$2" -v memory="$3" '
        function larger(a, b) { return a > b ? a : b }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            n++
            dt = $at["dt"]
            rounds += $at["rounds"]; most = larger(most, $at["rounds"] + 0)
            halvings += $at["halvings"]
            if ($at["rounds"] > 0 && $at["min_gap"] != "inf" && (gap == "" || $at["min_gap"] + 0 < gap))
                gap = $at["min_gap"] + 0
            fb = larger(fb, $at["fb_error"] + 0)
            friction = larger(friction, $at["friction_error"] + 0)
            normal = larger(normal, $at["constraint_error"] + 0)
            inverted = larger(inverted, $at["inverted"] + 0)
            energy = $at["kinetic_energy"] + $at["gravity_energy"] + $at["elastic_energy"]
            if (n > 1) rise = larger(rise, energy - last - $at["work"])
            last = energy
            v_rms = $at["v_rms"]
            total += $at["t_total_ms"]; fem += $at["t_fem_ms"]
            collision += $at["t_collision_ms"]; solve += $at["t_solve_ms"]
        }
        END {
            if (n == 0) { print "none  0  -"; exit }
            if (gap != "" && gap <= 0 && end ~ /^(done|late)$/) end = "touches"
            printf "%-10s %6d %5.2f %3d %6.2f %9s %8.1e %8.1e %8.1e %4d %8.1e %8.1e %8.1f %7.1f %7.1f %7.1f %6s\n",
                end, n, rounds / n, most, 1000 * halvings / n, gap == "" ? "-" : sprintf("%.2e", gap),
                fb, friction, normal, inverted, rise, v_rms, total / n, fem / n, collision / n,
                solve / n, memory
        }' "$1"
}

# run_one SCENE SEED: a seed of 0 is the scene as it stands.
run_one() {
    name=$1-dt$DT_FACTOR$([ "$2" = 0 ] || echo "-j$2")
    dt=$(step_of "$1")
    rm -f "$folder/$name.csv"
    # shellcheck disable=SC2046,SC2086
    "$PLIANT" run "apps/scenes/$1.json" --audit --stats "$folder/$name.csv" --steps "$STEPS" \
        --max-seconds "$SECONDS_EACH" --threads "$THREADS" --dt "$dt" \
        $([ "$2" = 0 ] || echo "--jitter $2") $OPTIONS \
        >"$folder/$name.log" 2>&1
    case $? in
    0) end=done ;;
    2) end=intersects ;;
    3) end=late ;;
    *) end=failed ;;
    esac
    memory=$(sed -n 's/^\([0-9]*\) MB of memory at most$/\1/p' "$folder/$name.log")
    [ -f "$folder/$name.csv" ] || : >"$folder/$name.csv"
    line=$(summarize "$folder/$name.csv" "$end" "${memory:--}")
    printf '%-16s %4s %8.2g %s\n' "$1" "$2" "$dt" "$line"
    case $line in
    done* | late*) ;;
    *) failed=$((failed + 1)) && grep '^pliant: ' "$folder/$name.log" | head -n 3 ;;
    esac
}

mkdir -p "$folder"
printf '%-16s %4s %8s %-10s %6s %5s %3s %6s %9s %8s %8s %8s %4s %8s %8s %8s %7s %7s %7s %6s\n' \
    scene seed dt end steps rounds '' halv gap fb friction normal inv rise v_rms ms fem coll solve MB
for scene in $SCENES; do
    if ! make_meshes "$scene"; then
        echo "$scene: its meshes cannot be made; see $folder/make.log" && failed=$((failed + 1))
        continue
    fi
    for seed in ${JITTER:-0}; do run_one "$scene" "$seed"; done
done
[ $failed -eq 0 ] || echo "$failed failed"
[ $failed -eq 0 ]
