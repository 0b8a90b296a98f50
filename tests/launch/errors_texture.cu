/* errors_texture.cu - textures. */
__global__ void k(cudaTextureObject_t tex, float *out)
{
	out[0] = tex2D<float>(tex, 0.5f, 0.5f);
}
