/* vector_functions.h - replaces CUDA's header of this name; the functions are already defined. */
