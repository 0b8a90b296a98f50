/* cuda_pipeline_primitives.h - replaces CUDA's header of this name; see sim/cuda/cuda_c.h. */
