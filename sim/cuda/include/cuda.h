/* cuda.h - replaces CUDA's header of this name; the built-ins are already defined. */
