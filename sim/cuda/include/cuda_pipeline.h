/* cuda_pipeline.h - CUDA's header of this name for the simulator: its words are in sim/cuda/cuda_c.h. */
