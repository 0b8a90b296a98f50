/* test_graph_twin.c - attention by CUDA graphs gives the same bits on a GPU as on the simulator.
 *
 * Runs the script of test_path_graph.c on the GPU by separate launches, captured graphs and graphs
 * built by hand, and compares each with separate launches on the simulator. Skipped without a GPU.
 */
#include "config.h"

#include "tests/step_script.h"

#include "tests/gpu.h"

enum { CASES = 24 };

START_TEST(graphs_give_the_simulators_bits)
{
	const struct path *path = graph_paths[_i % GRAPH_PATHS];
	struct script script = script_case(_i / GRAPH_PATHS);
	float *wanted = script_run_on("sim", 0, &script, path, GRAPH_NONE);

	for (int mode = GRAPH_NONE; mode <= GRAPH_MANUAL; mode++) {
		float *got = script_run_on("cuda", 0, &script, path, (enum graph_mode)mode);

		script_expect(&script, wanted, got, graph_mode_name((enum graph_mode)mode));
		free(got);
	}
	free(wanted);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("graph_twin");

	if (!gpu_or_skip())
		return EXIT_SUCCESS;
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, graphs_give_the_simulators_bits, 0, CASES * GRAPH_PATHS);
	return run_suite("graph_twin", tests);
}
