#!/bin/sh
# Runs scenes by several solvers and prints a line per run: a table of which solver does what by
# itself. Ends with 1 if a run failed. By `make solver-scenes`, with
#
#   SCENES        names of apps/scenes; default those with joints or cables
#   SOLVERS       default auto newton apg delassus cr
#   STEPS         per run; default 60
#   SECONDS_EACH  of wall clock per run; default 60
#
# Columns:
#
#   end      done; late: SECONDS_EACH came first; or failed
#   rescues  per 100 steps: solves that auto took over, since the solver failed or knows no joints
#   halv     halvings per 100 steps
#   iter     iterations per step, of all solves
#   gap      between what joints hold together, the most of all steps [m]
#   cpu      ms of the processor per step, start included
set -u
PLIANT=${PLIANT:-build/pliant}
SCENES=${SCENES:-armadillo-hinges atwood bunny-hoist chain cradle crane forklift forwarder gears gripper hoist linkage \
offshore parkour rocks spinner top trucks winch}
SOLVERS=${SOLVERS:-auto newton apg delassus cr}
STEPS=${STEPS:-60}
SECONDS_EACH=${SECONDS_EACH:-60}
folder=out/solver-scenes
failed=0

# A line of the table from the statistics: summarize FILE.csv END SECONDS.
summarize() {
    awk -F , -v end="$2" -v cpu="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            n++
            rescues += $at["rescues"]; halvings += $at["halvings"]; iterations += $at["iterations"]
            if ($at["joint_gap"] + 0 > gap) gap = $at["joint_gap"] + 0
        }
        END {
            if (n == 0) { printf "%-8s 0\n", end; exit }
            printf "%-8s %5d %8.0f %6.1f %9.1f %9.1e %9.2f\n", end, n, 100 * rescues / n,
                100 * halvings / n, iterations / n, gap, 1000 * cpu / n
        }' "$1"
}

# run_one SCENE SOLVER
run_one() {
    name=$folder/$1-$2
    rm -f "$name.csv"
    times >"$folder/before"
    "$PLIANT" run "apps/scenes/$1.json" --solver "$2" --steps "$STEPS" --threads 1 --stats "$name.csv" \
        --max-seconds "$SECONDS_EACH" --quiet >"$name.log" 2>&1
    result=$?
    times >"$folder/after"
    case $result in
    0) end=done ;;
    3) end=late ;;
    *) end=failed && failed=$((failed + 1)) ;;
    esac
    [ -f "$name.csv" ] || : >"$name.csv"
    # Of what was started here, user and system, on the last line of `times`.
    cpu=$(awk 'function seconds(t,  part) { split(t, part, /[ms]/); return 60 * part[1] + part[2] }
        FNR == 2 { now = seconds($1) + seconds($2); if (NR == 2) first = now }
        END { print now - first }' "$folder/before" "$folder/after")
    printf '%-16s %-10s %s\n' "$1" "$2" "$(summarize "$name.csv" "$end" "$cpu")"
    [ "$end" != failed ] || grep '^pliant: ' "$name.log" | head -n 2
}

mkdir -p "$folder"
printf '%-16s %-10s %-8s %5s %8s %6s %9s %9s %9s\n' scene solver end steps rescues halv iter gap cpu
for scene in $SCENES; do
    for solver in $SOLVERS; do run_one "$scene" "$solver"; done
done
[ $failed -eq 0 ] || echo "$failed failed"
[ $failed -eq 0 ]
