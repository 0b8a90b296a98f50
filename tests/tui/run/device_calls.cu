// device_calls.cu - devices and their bus, versions, ranges for a profiler, hints about managed
// memory, and the pool of a device: the errors that CUDA documents, and the effects seen by other
// calls. For one device or more.
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>

#include <cctype>
#include <cstring>

#include "counted.h"

enum { N = 256 };

__global__ void fill(int *out, int value)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* --- devices --- */

/* The first calls of the program. */
static void valid_devices(int count)
{
	int list[20], now;

	for (int i = 0; i < 20; i++)
		list[i] = i < count ? count - 1 - i : 0;
	GIVES(cudaErrorInvalidValue, cudaSetValidDevices(NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaSetValidDevices(list, count + 1));
	OK(cudaSetValidDevices(list, count));
	OK(cudaGetDevice(&now));
	CHECK(now == count - 1);
	list[0] = 99;
	GIVES(cudaErrorInvalidDevice, cudaSetValidDevices(list, 1));
	OK(cudaSetValidDevices(NULL, 0));
	OK(cudaSetDevice(0));
}

/* Flags are those of the device that is initialized, if they are valid. */
static void initialized(int count)
{
	unsigned flags = 0;

	OK(cudaInitDevice(count - 1, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
	OK(cudaSetDevice(count - 1));
	OK(cudaGetDeviceFlags(&flags));
	CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
	OK(cudaInitDevice(count - 1, cudaDeviceScheduleSpin, 0));
	OK(cudaGetDeviceFlags(&flags));
	CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
	OK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
	OK(cudaSetDevice(0));
	GIVES(cudaErrorInvalidDevice, cudaInitDevice(count, 0, 0));
}

static void buses(int count)
{
	char id[32], text[64], *colon;
	unsigned domain, bus, slot, function;
	int found, value;

	for (int d = 0; d < count; d++) {
		OK(cudaDeviceGetPCIBusId(id, 13, d));
		CHECK(strlen(id) == 12);
		CHECK(sscanf(id, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4);
		cudaDeviceGetAttribute(&value, cudaDevAttrPciDomainId, d);
		CHECK((int)domain == value);
		cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, d);
		CHECK((int)bus == value);
		cudaDeviceGetAttribute(&value, cudaDevAttrPciDeviceId, d);
		CHECK((int)slot == value);
		found = -1;
		OK(cudaDeviceGetByPCIBusId(&found, id));
		CHECK(found == d);
		/* domain:bus:device */
		snprintf(text, sizeof text, "%s", id);
		*strchr(text, '.') = '\0';
		found = -1;
		OK(cudaDeviceGetByPCIBusId(&found, text));
		CHECK(found == d);
		/* bus:device.function, of domain 0 */
		colon = strchr(id, ':');
		found = -1;
		if (domain == 0) {
			OK(cudaDeviceGetByPCIBusId(&found, colon + 1));
			CHECK(found == d);
		}
		/* Hexadecimal digits of either kind. */
		for (char *c = id; *c; c++)
			*c = (char)tolower(*c);
		found = -1;
		OK(cudaDeviceGetByPCIBusId(&found, id));
		CHECK(found == d);
	}
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, 13, count));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, 13, -1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(NULL, 13, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&found, NULL));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(NULL, "0000:01:00.0"));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&found, "FFFF:FE:1F.0"));
}

static void links(int count)
{
	int value, can;

	GIVES(cudaErrorInvalidDevice,
	      cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
	GIVES(cudaErrorInvalidDevice,
	      cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, count));
	GIVES(cudaErrorInvalidDevice,
	      cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, -1, 0));
	if (count < 2)
		return;
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1));
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceGetP2PAttribute(&value, (cudaDeviceP2PAttr)77, 0, 1));
	for (int from = 0; from < 2; from++) {
		OK(cudaDeviceCanAccessPeer(&can, from, 1 - from));
		value = -1;
		OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, from,
					    1 - from));
		CHECK(value == can);
		OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, from,
					    1 - from));
		CHECK(value >= 0);
		OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, from,
					     1 - from));
		CHECK(value == 0 || value == 1);
		OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrCudaArrayAccessSupported, from,
					     1 - from));
		CHECK(value == 0 || value == 1);
	}
}

/* Banks of shared memory have a fixed size since compute capability 5. */
static void settings(void)
{
	cudaSharedMemConfig config = (cudaSharedMemConfig)9;
	int driver = 0, runtime = 0, *memory;

	OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
	OK(cudaDeviceGetSharedMemConfig(&config));
	CHECK(config == cudaSharedMemBankSizeFourByte);
	GIVES(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(NULL));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
	OK(cudaFuncSetSharedMemConfig(fill, cudaSharedMemBankSizeFourByte));
	GIVES(cudaErrorInvalidDeviceFunction,
	      cudaFuncSetSharedMemConfig((const void *)NULL, cudaSharedMemBankSizeDefault));
	OK(cudaDriverGetVersion(&driver));
	OK(cudaRuntimeGetVersion(&runtime));
	CHECK(driver >= 1000 && driver / 1000 >= runtime / 1000);
	GIVES(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
	OK(cudaCtxResetPersistingL2Cache());
	/* A range for a profiler changes nothing about the work in it. */
	cudaMalloc(&memory, N * sizeof *memory);
	OK(cudaProfilerStart());
	fill<<<1, N>>>(memory, 11);
	OK(cudaProfilerStop());
	OK(cudaProfilerStop());
	CHECK(all_are(memory, N, 11));
	cudaFree(memory);
}

/* --- hints about managed memory --- */

static cudaMemLocation at(cudaMemLocationType type, int id)
{
	cudaMemLocation location;

	location.type = type;
	location.id = id;
	return location;
}

static void hints(void)
{
	const cudaMemLocation here = at(cudaMemLocationTypeDevice, 0);
	const cudaMemLocation host = at(cudaMemLocationTypeHost, 0);
	const cudaMemLocation nowhere = at(cudaMemLocationTypeDevice, 99);
	int *managed, *device;
	cudaStream_t s;

	cudaMallocManaged(&managed, N * sizeof *managed);
	cudaMalloc(&device, N * sizeof *device);
	cudaStreamCreate(&s);
	fill<<<1, N>>>(managed, 5);
	cudaDeviceSynchronize();
	OK(cudaMemAdvise(managed, N * sizeof *managed, cudaMemAdviseSetReadMostly, here));
	OK(cudaMemAdvise(managed, N * sizeof *managed, cudaMemAdviseSetPreferredLocation, host));
	OK(cudaMemAdvise(managed, N * sizeof *managed, cudaMemAdviseSetAccessedBy, here));
	CHECK(all_are(managed, N, 5));
	managed[7] = 6;                         /* also where it is mostly read */
	fill<<<1, 4>>>(managed + 8, 6);
	cudaDeviceSynchronize();
	CHECK(managed[7] == 6 && managed[8] == 6 && managed[11] == 6 && managed[12] == 5);
	OK(cudaMemAdvise(managed + 4, sizeof *managed, cudaMemAdviseUnsetReadMostly, here));
	OK(cudaMemAdvise(managed, N * sizeof *managed, cudaMemAdviseUnsetPreferredLocation,
			 nowhere));     /* which is ignored */
	OK(cudaMemAdvise(managed, N * sizeof *managed, cudaMemAdviseUnsetAccessedBy, here));
	GIVES(cudaErrorInvalidDevice, cudaMemAdvise(managed, N * sizeof *managed,
						    cudaMemAdviseSetPreferredLocation, nowhere));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, N * sizeof *managed,
						   (cudaMemoryAdvise)0, here));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(device, N * sizeof *device,
						   cudaMemAdviseSetReadMostly, here));

	/* The memory can be used as before by the stream that it is attached to. */
	OK(cudaStreamAttachMemAsync(s, managed));
	OK(cudaStreamSynchronize(s));
	fill<<<1, N, 0, s>>>(managed, 12);
	OK(cudaStreamSynchronize(s));
	CHECK(managed[0] == 12 && managed[N - 1] == 12);
	OK(cudaStreamAttachMemAsync(s, managed, N * sizeof *managed, cudaMemAttachHost));
	OK(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
	OK(cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachGlobal));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, managed, 4, cudaMemAttachHost));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, managed));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, managed, 0, 3));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(s, device));
	cudaStreamDestroy(s);
	cudaFree(managed);
	cudaFree(device);
}

/* --- the pool that cudaMallocAsync() takes memory from --- */

static unsigned long long used(cudaMemPool_t pool)
{
	unsigned long long value = ~0ull;

	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
	return value;
}

static void pools(int count)
{
	cudaMemPool_t first = NULL, pool, now = NULL, far;
	cudaMemPoolProps props;
	void *memory;

	memset(&props, 0, sizeof props);
	props.allocType = cudaMemAllocationTypePinned;
	props.location = at(cudaMemLocationTypeDevice, 0);
	OK(cudaDeviceGetDefaultMemPool(&first, 0));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == first && now != NULL);
	OK(cudaMemPoolCreate(&pool, &props));
	OK(cudaDeviceSetMemPool(0, pool));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == pool && pool != first);
	OK(cudaDeviceGetDefaultMemPool(&now, 0));
	CHECK(now == first);
	unsigned long long before = used(first);
	OK(cudaMallocAsync(&memory, 4096, 0));
	CHECK(used(pool) >= 4096);
	CHECK(used(first) == before);
	OK(cudaFreeAsync(memory, 0));
	OK(cudaStreamSynchronize(0));
	CHECK(used(pool) == 0);
	GIVES(cudaErrorInvalidValue, cudaDeviceGetMemPool(NULL, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&now, count));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, NULL));
	if (count > 1) {
		OK(cudaDeviceGetDefaultMemPool(&far, 1));
		GIVES(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, far));
		OK(cudaDeviceGetMemPool(&now, 1));
		CHECK(now == far);
	}
	/* The pool of a device that is destroyed is replaced by its default one. */
	OK(cudaMemPoolDestroy(pool));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == first);
}

int main()
{
	int count;

	cudaGetDeviceCount(&count);
	valid_devices(count);
	initialized(count);
	buses(count);
	links(count);
	settings();
	hints();
	pools(count);
	return counted();
}
