// Scenes and meshes by name: which folders there are, and which of them comes first.

#include "../apps/common/data.h"
#include "../apps/scene/scene_find.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char folder[] = "/tmp/pliant_find_XXXXXX";

void setUp(void)
{
    unsetenv("PLIANT_DATA");
    setenv("XDG_DATA_HOME", "/nowhere", 1);
}

void tearDown(void)
{
}

static const char *in_folder(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

// Makes a file in the folder, and the folders above it.
static void touch(const char *name)
{
    char line[512];
    const char *path = in_folder(name);
    snprintf(line, sizeof line, "mkdir -p $(dirname %s) && touch %s", path, path);
    TEST_ASSERT_EQUAL_INT(0, system(line));
}

static void expect_scene(const char *word, const char *path)
{
    char *found;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_find(word, &found), pl_error_text());
    TEST_ASSERT_EQUAL_STRING(path, found);
    pl_free(found);
}

static void expect_mesh(const char *scene, const char *word, const char *path)
{
    char *found;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_find_mesh(scene, word, &found));
    TEST_ASSERT_EQUAL_STRING(path, found);
    pl_free(found);
}

static void test_scenes_of_the_sources(void)
{
    static const char *const known[][2] = {{"arch", "apps/scenes/arch.json"},
                                           {"armadillo", "apps/scenes/view/armadillo.json"},
                                           {"none.json", "none.json"},
                                           {"none/arch", "none/arch"},
                                           {"README.md", "README.md"}};
    for (int i = 0; i < 5; i++) expect_scene(known[i][0], known[i][1]);
    char *found;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_scene_find("apps", &found)); // a folder
    TEST_ASSERT_EQUAL_STRING("there is no scene apps.json in apps/scenes: name a file, or one that "
                             "'pliant --help=scenes' lists",
                             pl_error_text());
    for (int n = 0; n < 2; n++) {
        fail_nth(n);
        TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_scene_find("arch", &found));
        fail_never();
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
    }
}

// $PLIANT_DATA, the sources, the user's own.
static void test_order_of_folders(void)
{
    touch("given/scenes/arch.json");
    touch("user/pliant/scenes/arch.json");
    touch("user/pliant/scenes/own.json");
    setenv("XDG_DATA_HOME", in_folder("user"), 1);
    expect_scene("arch", "apps/scenes/arch.json");
    expect_scene("own", in_folder("user/pliant/scenes/own.json"));
    setenv("PLIANT_DATA", in_folder("given"), 1);
    expect_scene("arch", in_folder("given/scenes/arch.json"));
    touch("given/scenes/view/arch.json");
    expect_scene("arch", in_folder("given/scenes/view/arch.json"));
    expect_scene("own", in_folder("user/pliant/scenes/own.json"));

    char *found;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_scene_find("none", &found));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "/given/scenes or apps/scenes or /tmp/"));

    unsetenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    char before[256];
    snprintf(before, sizeof before, "%s", home != NULL ? home : "");
    touch("home/.local/share/pliant/scenes/mine.json");
    setenv("HOME", in_folder("home"), 1);
    expect_scene("mine", in_folder("home/.local/share/pliant/scenes/mine.json"));
    setenv("HOME", before, 1);
}

static void test_no_folder_at_all(void)
{
    char here[1024], *found;
    TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
    TEST_ASSERT_EQUAL_INT(0, chdir("/"));
    pl_status status = pl_scene_find("rings", &found);
    TEST_ASSERT_EQUAL_INT(0, chdir(here));
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, status);
    TEST_ASSERT_EQUAL_STRING("there is no scene rings, nor any folder of scenes: name a file, or "
                             "set PLIANT_DATA to a folder with scenes/rings.json",
                             pl_error_text());
}

// Beside the scene comes first; a path is never looked for elsewhere.
static void test_meshes(void)
{
    touch("given/meshes/a.msh");
    touch("given/meshes/b.msh");
    touch("scenes/a.msh");
    setenv("PLIANT_DATA", in_folder("given"), 1);
    char scene[256];
    snprintf(scene, sizeof scene, "%s", in_folder("scenes/x.json"));
    expect_mesh(scene, "a.msh", in_folder("scenes/a.msh"));
    expect_mesh(scene, "b.msh", in_folder("given/meshes/b.msh"));
    expect_mesh(scene, "c.msh", in_folder("scenes/c.msh"));
    expect_mesh(scene, "./b.msh", in_folder("scenes/./b.msh"));
    expect_mesh(scene, "/b.msh", "/b.msh");
    expect_mesh("x.json", "b.msh", in_folder("given/meshes/b.msh"));
    expect_mesh("x.json", "c.msh", "c.msh");
}

static void test_recipe(void)
{
    char *recipe;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_mesh_recipe(&recipe));
    TEST_ASSERT_EQUAL_STRING("make meshes", recipe);
    pl_free(recipe);
    touch("given/meshes/make-meshes.sh");
    setenv("PLIANT_DATA", in_folder("given"), 1);
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_mesh_recipe(&recipe));
    TEST_ASSERT_EQUAL_STRING(in_folder("given/meshes/make-meshes.sh"), recipe);
    pl_free(recipe);
}

static pl_status print_names(void *user)
{
    (void)user;
    return pl_scene_print_names();
}

static void test_without_memory(void)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    TEST_ASSERT_NOT_NULL(freopen("/dev/null", "w", stdout));
    int64_t tried = fail_each_allocation(print_names, NULL);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    TEST_ASSERT_TRUE(tried > 30); // one for each scene, at least
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_scenes_of_the_sources);
    RUN_TEST(test_order_of_folders);
    RUN_TEST(test_no_folder_at_all);
    RUN_TEST(test_meshes);
    RUN_TEST(test_recipe);
    RUN_TEST(test_without_memory);
    char line[256];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line) != 0 ? 1 : UNITY_END();
}
