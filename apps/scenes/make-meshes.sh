#!/bin/sh
# Makes the meshes that Pliant's scenes name, out of the scans of the Stanford bunny and armadillo.
#
#   make-meshes.sh [-o DIR] [NAME...]    those named, or all that DIR does not have yet
#   make-meshes.sh --list                their names
#
# DIR is $XDG_DATA_HOME/pliant/meshes (~/.local/share/pliant/meshes) if it is not given: the command
# `pliant` looks there. In the environment: PLIANT, the command; SCANS_DIR, a folder with bunny.off and
# armadillo.off. Without it they are fetched, out of Debian's package libcgal-demo. The finest armadillo
# takes minutes.
set -eu

# Name, scan or shape, options of `pliant mesh`. The Bunnies, the Armadillo and a ball of the Bearing of
# VJ19 (Table 1): nine balls have 46,080 faces, and as many tets as TetGen can be brought to.
# armadillo-fine is the scan itself, -smooth as fine as the frames of a film can show: surfaces that
# tets of others carry. -coarse is for pliant view.
table='
bunny             bunny.off      --fit 1 --faces 738 --tets 1270
bunny-smooth      bunny.off      --fit 1 --faces 2000
bunny-coarse      bunny.off      --fit 1 --faces 120 --tets 180
armadillo-light   armadillo.off  --fit 1 --faces 1200 --tets 4000
armadillo-smooth  armadillo.off  --fit 1 --faces 5000
armadillo-coarse  armadillo.off  --fit 1 --faces 600 --tets 1400
armadillo-fine    armadillo.off  --fit 1
ball              icosphere:radius=0.25:level=4:shells=1 --tets 12851
armadillo         armadillo.off  --fit 1 --faces 20978 --tets 385739
'

here=$(cd "$(dirname "$0")" && pwd)
fetched=
trap '[ -z "$fetched" ] || rm -rf "$fetched"' EXIT

die() { printf 'make-meshes.sh: %s\n' "$*" >&2 && exit 1; }

names() { printf '%s' "$table" | while read -r name rest; do [ -z "$name" ] || echo "$name"; done; }

# The command beside which this is installed, or the one in the path.
find_pliant() {
    [ -z "${PLIANT:-}" ] || return 0
    PLIANT=$here/../../../bin/pliant
    [ -x "$PLIANT" ] || PLIANT=$(command -v pliant) || die "there is no pliant: PLIANT= names it."
}

# setup.sh keeps what it fetches below the folder that it is called in.
find_scans() {
    [ -z "${SCANS_DIR:-}" ] || return 0
    fetched=$(mktemp -d)
    (cd "$fetched" && "$here/setup.sh" scans scans) ||
        die "no scans: put bunny.off and armadillo.off into a folder that SCANS_DIR= names."
    SCANS_DIR=$fetched/scans
}

make_mesh() { # name scan options...
    name=$1 input=$2
    shift 2
    case $input in *.off)
        find_scans
        input=$SCANS_DIR/$input
        [ -r "$input" ] || die "there is no $input: SCANS_DIR= names the folder of the scans."
        ;;
    esac
    "$PLIANT" mesh "$input" "$@" -o "$folder/$name.msh"
}

folder=${XDG_DATA_HOME:-${HOME:-.}/.local/share}/pliant/meshes
case ${1:-} in
--list) names && exit ;;
-o) folder=$2 && shift 2 ;;
-*) die "unknown option $1; the head of $0 says how to call it." ;;
esac
find_pliant
mkdir -p "$folder"
all=$([ $# -gt 0 ] || echo yes)
for name in ${*:-$(names)}; do
    [ -z "$all" ] || [ ! -e "$folder/$name.msh" ] || continue
    line=$(printf '%s' "$table" | grep "^$name ") || die "there is no recipe for $name; --list lists them."
    # shellcheck disable=SC2086
    make_mesh $line
done
