/* macro_names.cuh - included by macro_names.cu for each number that it multiplies by. */
DECLARED(PASTED(SCALED, step))
{
	return x * TIMES;
}

PIECE int SCALED(int x)
{
	return PASTED(SCALED, step)(x) + 1;
}

#undef TIMES
#undef SCALED
