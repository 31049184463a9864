// What `make install` leaves works for a program outside: the example of README.md, as C with
// pkg-config against the shared and the static library, and the header alone as C++17.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

// Runs a shell command in which %s stands for the folder; keeps what it prints.
static int shell(const char *command, char *output, size_t size)
{
    char line[2048];
    snprintf(line, sizeof line, "T=%s; export T; (%s) 2>&1", folder, command);
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

static void test_install(void)
{
    expect("make -s install DESTDIR=$T PREFIX=/usr && ls -R $T", "libpliant.so.0");
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
    expect("cd $T && gcc fall.c -static-libgcc $(" PKG_CONFIG
           "--cflags) usr/lib/libpliant.a $(" PKG_CONFIG
           "--libs-only-other --static) -lgmp -lz -lm -o fall_static && ./fall_static",
           "1.00 s: first vertex at");
}

static void test_no_agpl_in_the_library(void)
{
    expect("ldd $T/usr/lib/libpliant.so; echo end", "end");
    char output[8192];
    shell("ldd $T/usr/lib/libpliant.so; nm -C $T/usr/lib/libpliant.a", output, sizeof output);
    TEST_ASSERT_NULL(strstr(output, "libtet"));
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
    RUN_TEST(test_readme_example);
    RUN_TEST(test_no_agpl_in_the_library);
    RUN_TEST(test_header_as_cpp);
    char output[256];
    shell("rm -rf $T", output, sizeof output);
    return UNITY_END();
}
