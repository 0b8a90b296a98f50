/* vector_types.h - CUDA's header of this name for the simulator, whose words are there already. */
