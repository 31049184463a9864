// What `make install` leaves works outside: the command and its scenes in any folder, manual pages,
// completion; the example of README.md as C, with pkg-config and with CMake, against the shared and
// the static library; the header alone as C++17. `make uninstall` leaves nothing of it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char folder[] = "/tmp/pliant_install_XXXXXX";

void setUp(void)
{
    const char *command = getenv("PLIANT");
    if (command == NULL || strcmp(command, "build/pliant") != 0) {
        TEST_IGNORE_MESSAGE("only the plain build is installed; run it by make check");
    }
}

void tearDown(void)
{
}

// Runs a shell command in which $T stands for the folder; keeps what it prints. Nothing of the
// user's is looked at.
static int shell(const char *command, char *output, size_t size)
{
    char line[2048];
    snprintf(line, sizeof line,
             "T=%s; XDG_DATA_HOME=$T/data; export T XDG_DATA_HOME; unset PLIANT_DATA; (%s) 2>&1",
             folder, command);
    FILE *pipe = popen(line, "r");
    size_t n = pipe != NULL ? fread(output, 1, size - 1, pipe) : 0;
    output[n] = '\0';
    return pipe != NULL ? pclose(pipe) : -1;
}

static void expect(const char *command, const char *part)
{
    char output[8192];
    int code = shell(command, output, sizeof output);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, code, output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
}

// The second time below another prefix, as for a package after a try.
static void test_install(void)
{
    expect("make -s install DESTDIR=$T PREFIX=/opt/first && rm -r $T/opt && ls $T | wc -l", "0");
    expect("make -s install DESTDIR=$T PREFIX=/usr && ls -R $T", "libpliant.so.0");
    expect("cat $T/usr/lib/pkgconfig/pliant.pc", "prefix=/usr\n");
    expect("readelf -d $T/usr/lib/libpliant.so", "Library soname: [libpliant.so.0]");
    expect("$T/usr/bin/pliant --version", "pliant 0.");
}

#define PKG_CONFIG                                                                                 \
    "PKG_CONFIG_PATH=$T/usr/lib/pkgconfig pkg-config --define-variable=prefix=$T/usr pliant "

static void test_readme_example(void)
{
    expect("awk '/^```c$/ {on=1; next} /^```$/ {on=0} on' README.md >$T/fall.c && wc -l $T/fall.c",
           "fall.c");
    expect("cd $T && gcc -std=c17 -Wall -Wextra -Werror fall.c $(" PKG_CONFIG
           "--cflags --libs) -o fall && LD_LIBRARY_PATH=$T/usr/lib ./fall && ls",
           "1.00 s: first vertex at");
    expect("diff $T/fall.c examples/fall.c && echo same", "same");
    // Where there is no shared library beside it, the static one is found, which needs what
    // Libs.private lists: CXSparse and OpenBLAS too, if it was built with them.
    expect(
        "cd $T && mkdir -p only && cp usr/lib/libpliant.a only && gcc fall.c -Lonly $(" PKG_CONFIG
        "--cflags --libs --static) -o fall_static && ! ldd fall_static | grep libpliant && "
        "./fall_static",
        "1.00 s: first vertex at");
    expect("nm $T/only/libpliant.a 2>/dev/null | grep -q 'U cs_dl_' && l=-lcxsparse || l=-lgmp; "
           "echo $(" PKG_CONFIG "--libs --static) | grep -e $l",
           "-lgmp");
}

// --- The command ---

static void test_scenes_from_anywhere(void)
{
    expect("cd / && $T/usr/bin/pliant run rings --steps 1", "1 steps in");
    expect("cd / && $T/usr/bin/pliant --help=scenes", "stack\n");
    expect("cd $T && ln -sf $T/usr/bin/pliant p && ./p run stack --steps 1 --quiet && echo fine",
           "fine");
    // In the file of another folder, what is beside the present folder does not count.
    expect("cd / && $T/usr/bin/pliant run $T/usr/share/pliant/scenes/cubes.json --steps 1",
           "1 steps in");
}

// A scene of scans tells what makes its meshes, and runs as soon as they are there.
static void test_meshes_from_the_recipe(void)
{
    const char *scans = getenv("SCANS_DIR");
    expect("cd / && ! $T/usr/bin/pliant run bunny --steps 1",
           "/bunny.msh: No such file or directory, nor in a folder of meshes; `");
    expect("cd / && $($T/usr/bin/pliant run bunny 2>&1 | sed 's/.*`\\(.*\\)`.*/\\1/') --list",
           "bunny-coarse\n");
    expect("! $T/usr/share/pliant/meshes/make-meshes.sh bnuny", "there is no recipe for bnuny");
    expect("! SCANS_DIR=$T $T/usr/share/pliant/meshes/make-meshes.sh bunny",
           "bunny.off: SCANS_DIR= names the folder of the scans");
    if (scans == NULL || access(scans, R_OK) != 0) TEST_IGNORE_MESSAGE("no scans");
    expect("SCANS_DIR=$(realpath $SCANS_DIR) && export SCANS_DIR && cd / && "
           "PLIANT= $T/usr/share/pliant/meshes/make-meshes.sh bunny && ls $T/data/pliant/meshes",
           "bunny.msh");
    expect("cd / && $T/usr/bin/pliant run bunny --steps 1", "1 steps in");
    expect("rm -r $T/data && echo gone", "gone");
}

static void test_manual(void)
{
    expect("ls $T/usr/share/man/man1 | wc -l", "12");
    if (system("command -v man >/dev/null") != 0) TEST_IGNORE_MESSAGE("no man");
    expect("MANPATH=$T/usr/share/man MANPAGER=cat man pliant-run", "go on from a checkpoint");
    expect("MANPATH=$T/usr/share/man MANPAGER=cat man pliant", "PLIANT_DATA");
}

// As bash-completion loads it; test_help.c tries the function itself.
static void test_completion(void)
{
    expect("cd / && bash -c '. $T/usr/share/bash-completion/completions/pliant; "
           "COMP_WORDS=(pliant run rings-s); COMP_CWORD=2; _pliant $T/usr/bin/pliant rings-s run; "
           "echo ${COMPREPLY[@]}'",
           "rings-stiff");
}

// --- CMake ---

static void write_project(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

#define CMAKE "cd $T && rm -rf c && cmake -S . -B c -DCMAKE_PREFIX_PATH=$T/usr "

static void test_cmake(void)
{
    if (system("command -v cmake >/dev/null") != 0) TEST_IGNORE_MESSAGE("no cmake");
    write_project("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\n"
                                    "project(fall C)\n"
                                    "find_package(pliant ${WANTED} REQUIRED)\n"
                                    "add_executable(shared fall.c)\n"
                                    "target_link_libraries(shared pliant::pliant)\n"
                                    "add_executable(static fall.c)\n"
                                    "target_link_libraries(static pliant::pliant-static)\n");
    expect("cp examples/fall.c $T; " CMAKE
           "-DWANTED=0.1 && cmake --build c && ldd c/shared && c/shared",
           "1.00 s: first vertex at");
    expect("cd $T && ! ldd c/static | grep pliant && c/static", "1.00 s: first vertex at");
    expect(CMAKE "-DWANTED=99 >$T/log 2>&1; grep -c 'requested version .99' $T/log", "1");
    expect(CMAKE "-DWANTED=0.99 >$T/log 2>&1; grep -c 'requested version .0.99' $T/log", "1");
}

// --- The end ---

// Also with another PREFIX, which a person may have chosen; what is not ours stays.
static void test_uninstall(void)
{
    expect("touch $T/usr/share/pliant/meshes/own.msh; make -s uninstall DESTDIR=$T PREFIX=/usr; "
           "find $T/usr ! -type d",
           "own.msh");
    expect(
        "rm $T/usr/share/pliant/meshes/own.msh; make -s install uninstall DESTDIR=$T PREFIX=/usr; "
        "find $T/usr ! -type d -o -name 'pliant*' | wc -l",
        "\n0\n");
    expect("make -s install PREFIX=\"$T/with blank\" && \"$T/with blank/bin/pliant\" run rings "
           "--steps 1",
           "1 steps in");
    expect("make -s uninstall PREFIX=\"$T/with blank\"; find \"$T/with blank\" ! -type d | wc -l",
           "\n0\n");
}

static void test_no_agpl_in_the_library(void)
{
    expect("ldd $T/usr/lib/libpliant.so; echo end", "end");
    char output[8192];
    shell("ldd $T/usr/lib/libpliant.so; nm -C $T/usr/lib/libpliant.a", output, sizeof output);
    TEST_ASSERT_NULL(strstr(output, "libtet"));
    TEST_ASSERT_NULL(strstr(output, "cholmod")); // GPL in parts
    TEST_ASSERT_NULL(strstr(output, "tetgen"));
    TEST_ASSERT_NULL(strstr(output, "libEGL"));
    TEST_ASSERT_NULL(strstr(output, "epoxy"));
}

static void test_header_as_cpp(void)
{
    expect("echo '#include <pliant.h>' >$T/a.cc && g++ -std=c++17 -Wall -Wextra -Wconversion "
           "-pedantic -Werror -I$T/usr/include -fsyntax-only $T/a.cc && echo fine",
           "fine");
    expect("echo '#include <pliant.h>' >$T/a.c && gcc -std=c17 -Wall -Wextra -Wconversion "
           "-pedantic -Werror -I$T/usr/include -fsyntax-only $T/a.c && echo fine",
           "fine");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_install);
    RUN_TEST(test_scenes_from_anywhere);
    RUN_TEST(test_meshes_from_the_recipe);
    RUN_TEST(test_manual);
    RUN_TEST(test_completion);
    RUN_TEST(test_readme_example);
    RUN_TEST(test_cmake);
    RUN_TEST(test_no_agpl_in_the_library);
    RUN_TEST(test_header_as_cpp);
    RUN_TEST(test_uninstall);
    char output[256];
    shell("rm -rf $T", output, sizeof output);
    return UNITY_END();
}
