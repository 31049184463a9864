#!/bin/sh
# Puts Pliant below a folder, or takes it away again. Both go through one list, so that nothing is left.
#
#   install.sh put|remove TOP    TOP is DESTDIR/PREFIX
#
# In the environment: B, the folder of what was built; VERSION; COMMANDS, the names of the sub-commands.
set -eu

# Lines "MODE FROM TO", TO below TOP; a MODE of "link" makes TO a symbolic link that says FROM.
list() {
    echo "755 $B/pliant bin/pliant"
    echo "644 include/pliant.h include/pliant.h"
    echo "644 $B/libpliant.a lib/libpliant.a"
    echo "755 $B/libpliant.so lib/libpliant.so.$VERSION"
    echo "link libpliant.so.$VERSION lib/libpliant.so.${VERSION%%.*}"
    echo "link libpliant.so.${VERSION%%.*} lib/libpliant.so"
    echo "644 $B/package/pliant.pc lib/pkgconfig/pliant.pc"
    echo "644 $B/package/pliant-config.cmake lib/cmake/pliant/pliant-config.cmake"
    echo "644 $B/package/pliant-config-version.cmake lib/cmake/pliant/pliant-config-version.cmake"
    echo "644 $B/man/pliant.1 share/man/man1/pliant.1"
    for name in $COMMANDS; do echo "644 $B/man/pliant-$name.1 share/man/man1/pliant-$name.1"; done
    echo "644 $B/man/pliant.bash share/bash-completion/completions/pliant"
    for file in apps/scenes/*.json apps/scenes/README.md; do echo "644 $file share/pliant/scenes/${file##*/}"; done
    for file in apps/scenes/view/*.json; do echo "644 $file share/pliant/scenes/view/${file##*/}"; done
    echo "755 apps/scenes/make-meshes.sh share/pliant/meshes/make-meshes.sh"
    echo "755 base/setup.sh share/pliant/meshes/setup.sh" # make-meshes.sh fetches scans by it
    for file in README.md CHANGELOG.md LICENSE; do echo "644 $file share/doc/pliant/$file"; done
    for file in docs/*.md; do echo "644 $file share/doc/pliant/docs/${file##*/}"; done
    for file in examples/*; do echo "644 $file share/doc/pliant/examples/${file##*/}"; done
}

# Folders that are nobody else's, the inner ones first.
ours='lib/cmake/pliant share/pliant/scenes/view share/pliant/scenes share/pliant/meshes share/pliant
share/doc/pliant/examples share/doc/pliant/docs share/doc/pliant'

put() { # mode from to
    mkdir -p "${3%/*}"
    case $1 in
    link) ln -sf "$2" "$3" ;;
    *) install -m "$1" "$2" "$3" ;;
    esac
}

action=$1 top=$2
case $action in
put)
    list | while read -r mode from to; do put "$mode" "$from" "$top/$to" || exit 1; done
    echo "Installed below $top."
    ;;
remove)
    list | while read -r mode from to; do rm -f "$top/$to" || exit 1; done
    for folder in $ours; do rmdir "$top/$folder" 2>/dev/null || true; done
    echo "Removed from $top."
    ;;
*) echo "install.sh: put or remove, not $action" >&2 && exit 1 ;;
esac
