#!/bin/sh
# Brings what Pliant needs from Debian, and from PyPI what only `make peers`, `make peers-rigid` and `make check-exports` need:
#
#   setup.sh packages GROUP...   installs the missing packages of the groups build, film, test, tsan, lint,
#                                peers, exports, opencl
#   setup.sh missing GROUP...    only names them; fails if there are any
#   setup.sh unity DIR           the Unity test framework, out of the source package cjson
#   setup.sh scans DIR           bunny.off and armadillo.off, out of the package libcgal-demo
#   setup.sh mujoco DIR          MuJoCo's header and library, out of the wheel mujoco-core
#   setup.sh newton DIR          a Python with the simulator Newton
#   setup.sh readers DIR         a Python with readers of exported frames: USD, trimesh, meshio, plyfile
#
# Installing needs root or sudo. The last five need neither and change nothing on the system: they
# keep apt's lists and downloads in build/apt.
set -eu

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# --- packages: one line each: groups, package, probe -------------------------------------------
# A probe is what we really need of the package, so that a copy installed by other means counts.
#   command NAME | header FILE | module NAME (pkg-config) | library FILE | python MODULE
table='
build  gcc                 command gcc
build  g++                 command g++
build  libc6-dev           header stdio.h
build  pkg-config          command pkg-config
build  libgmp-dev          header gmp.h
build  zlib1g-dev          header zlib.h
build  libsuitesparse-dev  header suitesparse/cs.h
build  libopenblas-dev     module openblas
build  libtet1.5-dev       header tetgen.h
build  libhdf5-dev         module hdf5-serial
build  libcjson-dev        header cjson/cJSON.h
build  libstb-dev          header stb/stb_image_write.h
build  libepoxy-dev        module epoxy
build  libglfw3-dev        module glfw3
build  libegl-dev          module egl
build  libegl1             library libEGL.so.1
build  libegl-mesa0        library libEGL_mesa.so.0
build  libgl1-mesa-dri     driver swrast_dri.so
test   dpkg-dev            command dpkg-source
test   xvfb                command Xvfb
test   xdotool             command xdotool
test   libx11-dev          header X11/Xlib.h
test   python3-vtk9        python vtkmodules.vtkIOXML
test   python3-numpy       python numpy
test   ffmpeg              command ffmpeg
test   groff-base          command groff
test   cmake               command cmake
test   ocl-icd-opencl-dev  header CL/cl.h
test   pocl-opencl-icd     driver libpocl.so*
opencl ocl-icd-opencl-dev  header CL/cl.h
opencl ocl-icd-libopencl1  library libOpenCL.so.1
film   ffmpeg              command ffmpeg
tsan   clang               command clang
tsan   libclang-rt-14-dev  driver libclang_rt.tsan-*.a
lint   clang-format        command clang-format
lint   cppcheck            command cppcheck
peers  libbullet-dev       module bullet
peers  libode-dev          module ode
peers  libsiconos-numerics-dev header siconos/numerics/Friction_cst.h
peers  python3-venv        python ensurepip
exports python3-venv       python ensurepip
'

present() { # probe argument
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    header) command -v gcc >/dev/null 2>&1 &&
        printf '#include <%s>\n' "$2" | gcc -x c++ -fsyntax-only - >/dev/null 2>&1 ;;
    module) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$2" ;;
    library) { /sbin/ldconfig -p 2>/dev/null || true; } | grep -q "$2" ;;
    driver) [ -n "$(find /usr/lib /usr/local/lib -name "$2" -print -quit 2>/dev/null)" ] ;;
    python) /usr/bin/python3 -c "import $2" >/dev/null 2>&1 ;;
    esac
}

missing() { # groups
    printf '%s' "$table" | while read -r group package probe argument; do
        [ -n "$group" ] || continue
        case " $* " in *" $group "*) ;; *) continue ;; esac
        present "$probe" "$argument" || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else return 1
    fi
}

packages() {
    wanted=$(missing "$@")
    [ -n "$wanted" ] || return 0
    command -v apt-get >/dev/null 2>&1 ||
        die "Missing: $wanted- there is no apt here; install them, or their like, by hand."
    mkdir -p build
    say "Installing $wanted..."
    # Without lists (a fresh machine) or with old ones the first attempt fails: then update.
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    for attempt in 1 2; do
        # shellcheck disable=SC2086
        if as_root apt-get install -y --no-install-recommends $wanted >build/setup.log 2>&1; then break
        elif [ $attempt = 1 ]; then as_root apt-get update >build/setup.log 2>&1 || true
        fi
    done
    wanted=$(missing "$@")
    [ -z "$wanted" ] || die "Missing and not installable here: $wanted- see build/setup.log."
}

# --- private apt: the system's sources with deb-src, lists and cache in build/apt ---------------

work=$PWD/build/apt

private_apt() {
    apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" \
        -o "Dir::Etc::sourceparts=$work/sources.d" -o "Dir::State::lists=$work/lists" \
        -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= "$@" >>"$work/log" 2>&1
}

with_sources() { # each `deb` line, and its deb-src twin
    sed -n 's/^deb\([[:space:]].*\)/&\ndeb-src\1/p' "$1"
}

private_lists() {
    [ ! -e "$work/ready" ] || return 0
    command -v apt-get >/dev/null 2>&1 || return 1
    mkdir -p "$work/sources.d" "$work/lists/partial" "$work/cache/archives/partial"
    : >"$work/sources.list"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -e "$file" ] || continue
        case $file in
        *.list) with_sources "$file" >"$work/sources.d/$(basename "$file")" ;;
        *.sources) sed 's/^Types:.*/Types: deb deb-src/' "$file" \
            >"$work/sources.d/$(basename "$file")" ;;
        esac
    done
    private_apt update && : >"$work/ready"
}

# --- what we fetch: each into a directory that appears only when it is complete -----------------

fetch_unity() { # directory
    private_lists && cd "$work" && private_apt source --download-only cjson &&
        tar -xzf "$work"/cjson_*.orig.tar.gz --wildcards --strip-components=3 -C "$1" \
            '*/tests/unity/src/*' '*/tests/unity/examples/unity_config.h'
}

fetch_scans() { # directory
    archive=usr/share/doc/libcgal-dev/data.tar.gz
    if [ -e "/$archive" ]; then
        cat "/$archive"
    else
        private_lists && cd "$work" && private_apt download libcgal-demo &&
            dpkg-deb --fsys-tarfile libcgal-demo_*.deb | tar -xOf - "./$archive"
    fi | tar -xzf - --strip-components=2 -C "$1" data/meshes/bunny00.off data/meshes/armadillo.off &&
        mv "$1/bunny00.off" "$1/bunny.off"
}

fetch_mujoco() { # directory
    version=4.0.0
    /usr/bin/python3 -m venv "$1/venv" >>"$work/log" 2>&1 &&
        "$1/venv/bin/pip" install --no-deps "mujoco-core==$version" >>"$work/log" 2>&1 &&
        mv "$1"/venv/lib/python3*/site-packages/mujoco/include \
            "$1"/venv/lib/python3*/site-packages/mujoco/libmujoco.so.* "$1" &&
        ln -s "libmujoco.so.$version" "$1/libmujoco.so" && rm -r "$1/venv"
}

fetch_newton() { # directory
    /usr/bin/python3 -m venv "$1" >>"$work/log" 2>&1 &&
        "$1/bin/pip" install newton==1.8.0 warp-lang==1.19.0 >>"$work/log" 2>&1
}

fetch_readers() { # directory
    /usr/bin/python3 -m venv "$1" >>"$work/log" 2>&1 &&
        "$1/bin/pip" install usd-core==26.11 trimesh==5.2.0 meshio==5.3.5 plyfile==1.1.5 \
            >>"$work/log" 2>&1
}

fetch() { # function directory sentence
    [ ! -e "$2" ] || return 0
    mkdir -p "$work"
    exec 9>"$work/lock" # make may fetch two things at once: apt's lists take one at a time
    flock 9
    [ ! -e "$2" ] || return 0
    rm -rf "$2.part"
    mkdir -p "$2.part"
    ("$1" "$PWD/$2.part") 2>>"$work/log" || { rm -rf "$2.part"; die "$3 See build/apt/log."; }
    mv "$2.part" "$2"
}

command=$1
shift
case $command in
packages) packages "$@" ;;
missing)
    wanted=$(missing "$@")
    [ -z "$wanted" ] || die "Missing: $wanted- 'make setup' installs them."
    ;;
unity) fetch fetch_unity "$1" \
    "Unity, the test framework, could not be fetched from Debian's source package cjson; UNITY_DIR= points to another copy." ;;
scans) fetch fetch_scans "$1" \
    "The bunny and the armadillo could not be fetched from Debian's package libcgal-demo; SCANS_DIR= points to another copy." ;;
mujoco) fetch fetch_mujoco "$1" \
    "MuJoCo could not be fetched from PyPI; MUJOCO_DIR= points to a folder with include/ and libmujoco.so." ;;
newton) fetch fetch_newton "$1" \
    "Newton could not be fetched from PyPI; NEWTON_DIR= points to another virtual environment with it." ;;
readers) fetch fetch_readers "$1" \
    "The readers of exported frames could not be fetched from PyPI; READERS_DIR= points to another virtual environment with them." ;;
*) die "setup.sh: unknown command $command" ;;
esac
