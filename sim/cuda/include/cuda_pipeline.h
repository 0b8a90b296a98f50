/* cuda_pipeline.h - replaces CUDA's header of this name; see sim/cuda/cuda_c.h. */
