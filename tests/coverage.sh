#!/bin/sh
# Prints the share of lines that the tests reached, by file, worst first, and the total.
set -eu
cd "$1"
find base meshes apps -name '*.gcda' | while read -r data; do
    gcov -n -o "$(dirname "$data")" "$data" 2>/dev/null
done | awk '
    /^File / { gsub("\x27", "", $2); file = $2 }
    /^Lines executed:/ && file !~ "^/usr" && !(file in seen) {
        seen[file] = 1
        split($0, part, /[:% ]+/)
        printf "%6.1f %% of %5d  %s\n", part[3], part[5], file
        lines += part[5]; reached += part[3] * part[5] / 100
    }
    END { if (lines) printf "%6.1f %% of %5d  in all\n", 100 * reached / lines, lines }' | sort -n
