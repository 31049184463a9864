#!/bin/sh
# Runs Unity test programs one after the other and adds up: the last line is "N passed, N failed".
# A program that crashes or hangs counts as one more failure; the others still run.
unset PLIANT_DATA XDG_DATA_HOME # where other scenes may lie
passed=0 failed=0 skipped=0
for program in "$@"; do
    start=$(date +%s)
    output=$(timeout 600 "$program" 2>&1)
    code=$?
    name=$(basename "$program")
    summary=$(printf '%s\n' "$output" | sed -n 's/^\([0-9]*\) Tests \([0-9]*\) Failures \([0-9]*\) Ignored.*/\1 \2 \3/p' | tail -n 1)
    # shellcheck disable=SC2086
    set -- $summary
    tests=${1:-0} failures=${2:-0} ignored=${3:-0}
    if [ -z "$summary" ] || { [ $code -ne 0 ] && [ "$failures" = 0 ]; }; then
        printf '%s\n%s: ended with code %d and no result\n' "$output" "$name" $code
        failures=$((failures + 1)) tests=$((tests + 1))
    elif [ "$failures" != 0 ] || [ "$ignored" != 0 ]; then
        printf '%s\n' "$output" | grep -E ':(FAIL|IGNORE)' || true
    fi
    printf '%-24s %4d tests  %3d failed  %3d skipped  %4d s\n' "$name" "$tests" "$failures" "$ignored" \
        $(($(date +%s) - start))
    passed=$((passed + tests - failures - ignored))
    failed=$((failed + failures)) skipped=$((skipped + ignored))
done
[ $skipped -eq 0 ] || printf '%d skipped\n' $skipped
printf '%d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ] && [ $passed -gt 0 ]
