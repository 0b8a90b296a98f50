/* vector_types.h - replaces CUDA's header of this name; the types are already defined. */
