/* test_datadir.c - where the program looks for its sample files: installed or in the source tree.
 *
 * Includes tui/datadir.c, to replace its directories.
 */
#include "tests/trace_file.h"

static const char *build_tree;

#undef PKGDATADIR
#undef SOURCE_DATADIR
#undef BUILDDIR
#define PKGDATADIR "installed"
#define SOURCE_DATADIR "source"
#define BUILDDIR build_tree
#include "tui/datadir.c"

static void expect_model(const char *where)
{
	char *model = datadir_model();
	size_t length = strlen(where);

	ck_assert_msg(!strncmp(model, where, length) && model[length] == '/', "%s", model);
	ck_assert_str_eq(model + length + 1, DATADIR_MODEL);
	free(model);
}

static void make_installed(void)
{
	ck_assert_int_eq(system("mkdir -p installed/" DATADIR_MODEL), 0);
	ck_assert_int_eq(system(": >installed/" DATADIR_MODEL "/config.json"), 0);
}

START_TEST(program_in_its_build_tree)
{
	char here[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);

	ck_assert_int_gt(length, 0);
	here[length] = '\0';
	unsetenv("FLASHTWIN_DATADIR");
	make_installed();
	*strrchr(here, '/') = '\0';
	build_tree = here;
	expect_model("source");
	/* A directory whose name only begins with the build tree's name is a different one. */
	here[strlen(here) - 1] = '\0';
	expect_model("installed");
	ck_assert_int_eq(system("rm -r installed"), 0);
}
END_TEST

START_TEST(program_elsewhere)
{
	unsetenv("FLASHTWIN_DATADIR");
	build_tree = "/nowhere";
	expect_model("source");
	make_installed();
	expect_model("installed");
	setenv("FLASHTWIN_DATADIR", "chosen", 1);
	expect_model("chosen");
	ck_assert_int_eq(system("rm -r installed"), 0);
}
END_TEST

/* Returns the path of the sample, or NULL if it is not found. */
static const char *sample(const char *name)
{
	static char path[PATH_MAX];
	char *found;

	if (datadir_sample(name, &found) != STATUS_OK)
		return NULL;
	snprintf(path, sizeof path, "%s", found);
	free(found);
	return path;
}

START_TEST(samples_in_the_source_tree)
{
	unsetenv("FLASHTWIN_DATADIR");
	build_tree = "/nowhere";
	ck_assert_str_eq(sample("demo.twin"), "source/../tests/h200/demo.twin");
	ck_assert_str_eq(sample("merge.cu"), "source/samples/merge.cu");
	ck_assert_int_eq(system("mkdir -p installed/samples && : >installed/samples/demo.twin"), 0);
	ck_assert_str_eq(sample("demo.twin"), "installed/samples/demo.twin");
	setenv("FLASHTWIN_DATADIR", "chosen", 1);
	ck_assert_str_eq(sample("demo.twin"), "chosen/samples/demo.twin");
	ck_assert_str_eq(sample("shakespeare"), "chosen/samples/shakespeare");
	FAILS(datadir_sample("demo", &(char *){ NULL }), STATUS_USAGE, "expected demo.twin");
	ck_assert_int_eq(system("rm -r installed"), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("datadir");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, program_in_its_build_tree);
	tcase_add_test(tests, program_elsewhere);
	tcase_add_test(tests, samples_in_the_source_tree);
	return run_suite("datadir", tests);
}
