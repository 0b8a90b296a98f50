/* mandelbrot.cu - a class with device methods, double arithmetic, a loop that diverges. */
struct cuComplex {
    double r, i;
    __device__ cuComplex(double a, double b) : r(a), i(b) {}
    __device__ double magnitude2(void) { return r * r + i * i; }
    __device__ cuComplex operator*(const cuComplex& a) { return cuComplex(r*a.r - i*a.i, i*a.r + r*a.i); }
    __device__ cuComplex operator+(const cuComplex& a) { return cuComplex(r+a.r, i+a.i); }
};
__device__ int escape(double x, double y, int limit) {
    cuComplex c(x, y), z(0, 0);
    int n = 0;
    while (z.magnitude2() <= 4.0 && n < limit) { z = z * z + c; ++n; }
    return n;
}
__global__ void mandelbrot(unsigned char *ptr, int w, int h, double zoom) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < w && y < h)
        ptr[y * w + x] = escape((x - w / 2) * zoom, (y - h / 2) * zoom, 50);
}
