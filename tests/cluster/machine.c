/* Preloaded into a host's processes: a clock that is off and a disk that is slow, as the file HOST_STATE says.
   It holds two 64-bit integers in the machine's order: microseconds the clock is off by, and those an fsync waits. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t still[2];
static const volatile int64_t *state = still;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("HOST_STATE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof still, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        state = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (!result && state[0] && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t whole = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + state[0] * 1000;
        now->tv_sec = whole / 1000000000;
        now->tv_nsec = whole % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec at;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &at))
        return -1;
    now->tv_sec = at.tv_sec;
    now->tv_usec = at.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (result)
        *result = at.tv_sec;
    return at.tv_sec;
}

static int late(const char *name, int (*volatile *real)(int), int file) {
    if (!*real)
        *real = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (state[1] > 0)
        usleep((useconds_t)state[1]);
    return (*real)(file);
}

int fsync(int file) {
    static int (*volatile real)(int);
    return late("fsync", &real, file);
}

int fdatasync(int file) {
    static int (*volatile real)(int);
    return late("fdatasync", &real, file);
}
