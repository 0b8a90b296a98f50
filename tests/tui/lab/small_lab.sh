# small_lab.sh - a lab of one kernel and two cases, for shell tests, which source it after tap.sh.
#
# small_lab FOLDER: makes FOLDER/07-small, to be used with --labs FOLDER. Its solution is the file
# good.cu in the current folder: softmax of each row by one thread.
small_lab() {
	mkdir -p "$1/07-small/staff"
	cat >"$1/07-small/lab.json" <<-'END'
	{
		"schema": 1, "number": 7, "name": "small", "title": "Small", "summary": "softmax",
		"seconds": 10, "steps": 200000,
		"arrays": {
			"x": { "type": "f32", "shape": ["rows", "n"], "use": "in", "fill": ["normal", 0, 3] },
			"p": { "type": "f32", "shape": ["rows", "n"], "use": "out", "absolute": 1e-5, "relative": 1e-4 }
		},
		"launches": [ { "kernel": "softmax", "grid": ["rows"], "block": [1] } ],
		"families": [ {
			"name": "plain", "sizes": { "rows": 2, "n": [5, 9] }, "public": [ { "n": 6 } ], "secret": 1,
			"reason": "ordinary numbers", "next": "compute a row by hand"
		} ],
		"reference": { "name": "softmax_rows" },
		"invariants": [ { "name": "sums-to-one", "array": "p",
			"reason": "weights sum to 1", "next": "divide by the sum" },
			{ "name": "permute", "axis": "n",
			"reason": "the order of elements does not matter", "next": "look at indices" } ],
		"structure": [ { "counter": "store_bytes", "max": "4 * rows * n",
			"reason": "each result is stored once", "next": "count the stores" } ],
		"hints": [ "exp", "divide" ]
	}
	END
	cat >good.cu <<-'END'
	__global__ void softmax(const float *x, float *p, int n)
	{
		float m = -INFINITY, sum = 0.0f;
		const float *row = x + blockIdx.x * n;
		for (int i = 0; i < n; i++)
			m = fmaxf(m, row[i]);
		for (int i = 0; i < n; i++)
			sum += expf(row[i] - m);
		for (int i = 0; i < n; i++)
			p[blockIdx.x * n + i] = expf(row[i] - m) / sum;
	}
	END
	cp good.cu "$1/07-small/staff/solution.cu"
	echo '__global__ void softmax(const float *x, float *p, int n) { }' >"$1/07-small/student.cu"
	echo '# Small' >"$1/07-small/README.md"
	cat >"$1/07-small/staff/mutants.json" <<-'END'
	[ { "name": "not-divided", "what": "keeps the sum", "replace": " / sum", "with": "" } ]
	END
}
