// Barriers in shared memory, bulk copies and branches by inline PTX, as programs write them.
#include <cstdint>

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait_for(uint64_t *barrier, unsigned phase)
{
	asm volatile("{\n"
		     ".reg .pred P1;\n"
		     "LAB_WAIT:\n"
		     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
		     "@P1 bra DONE;\n"
		     "bra LAB_WAIT;\n"
		     "DONE:\n"
		     "}" :: "r"(at(barrier)), "r"(phase) : "memory");
}

// 64 threads; n: a multiple of 64
__global__ void stages(const float *in, float *out, int n)
{
	__shared__ __align__(128) float s[2][64];
	__shared__ uint64_t full[2], empty[2];
	int t = threadIdx.x;

	asm volatile("griddepcontrol.wait;" ::: "memory");
	if (t == 0) {
		for (int i = 0; i < 2; i++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&full[i])), "r"(1));
			asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&empty[i])), "r"(64));
		}
		asm volatile("fence.mbarrier_init.release.cluster;");
	}
	__syncthreads();
	for (int i = 0; i < n / 64; i++) {
		int stage = i % 2, phase = i / 2 % 2;

		if (t == 0) {
			wait_for(&empty[stage], phase ^ 1);
			asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
				     :: "r"(at(&full[stage])), "r"(256) : "memory");
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
				     :: "r"(at(s[stage])), "l"(in + 64 * i), "r"(256), "r"(at(&full[stage]))
				     : "memory");
		}
		wait_for(&full[stage], phase);
		float v = s[stage][63 - t];
		uint64_t state;
		asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at(&empty[stage])) : "memory");
		out[64 * i + t] = v * 2.0f;
	}
	__syncthreads();
	s[0][t] = t;
	asm volatile("griddepcontrol.launch_dependents;");
	cudaGridDependencySynchronize();
	cudaTriggerProgrammaticLaunchCompletion();
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (t == 0) {
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
			     :: "l"(out + n), "r"(at(s[0])), "r"(256) : "memory");
		asm volatile("cp.async.bulk.commit_group;");
		asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(0) : "memory");
	}
}
