/* Preloaded into a host's processes: a clock that is off and a disk that is slow, as the file HOST_STATE says.
   It holds two 64-bit integers in the machine's order: microseconds the clock is off by, and those an fsync waits.
   Go's programs ask the kernel, not libc: with HOST_ASKS_KERNEL the kernel passes their questions to a thread here. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t still[2];
static const volatile int64_t *state = still;

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

struct question {
    int listener;
    struct seccomp_notif asked;
};

static void answer(const struct question *question, uint32_t flags) {
    struct seccomp_notif_resp response = {.id = question->asked.id, .flags = flags};
    ioctl(question->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void *answer_late(void *question) {
    usleep((useconds_t)state[1]);
    answer(question, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    free(question);
    return NULL;
}

static void *answer_all(void *pipe) {
    struct question question = {0};
    pthread_t thread;
    if (read(*(int *)pipe, &question.listener, sizeof question.listener) != sizeof question.listener)
        abort();
    for (;;) {
        question.asked = (struct seccomp_notif){0};
        if (ioctl(question.listener, SECCOMP_IOCTL_NOTIF_RECV, &question.asked))
            continue; /* whoever asked was interrupted */
        if (question.asked.data.nr == SYS_clock_gettime) {
            clock_gettime(CLOCK_REALTIME, (struct timespec *)question.asked.data.args[1]);
            answer(&question, 0);
        } else if (state[1] > 0) { /* in a thread of its own: the clock must not wait for the disk */
            struct question *copy = malloc(sizeof question);
            *copy = question;
            if (pthread_create(&thread, NULL, answer_late, copy) || pthread_detach(thread))
                abort();
        } else
            answer(&question, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    }
}

static void listen_to_kernel(char **variables) {
    static int ends[2];
    pthread_t thread;
    sigset_t all, before;
    while (*variables++)
        ;
    for (Elf64_auxv_t *each = (Elf64_auxv_t *)variables; each->a_type != AT_NULL; each++)
        if (each->a_type == AT_SYSINFO_EHDR)
            each->a_type = AT_IGNORE; /* without it, Go asks the kernel for the time as well */
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    sigfillset(&all);
    /* The thread starts first: the filter is only for threads that come from this one later. */
    if (pipe2(ends, O_CLOEXEC) || pthread_sigmask(SIG_BLOCK, &all, &before) ||
        pthread_create(&thread, NULL, answer_all, ends) || pthread_sigmask(SIG_SETMASK, &before, NULL) ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        abort();
    int listener =
        (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (listener < 0 || write(ends[1], &listener, sizeof listener) != sizeof listener)
        abort();
}

__attribute__((constructor)) static void begin(int count, char **words, char **variables) {
    (void)count, (void)words;
    const char *name = getenv("HOST_STATE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof still, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return;
    state = mapped;
    if (getenv("HOST_ASKS_KERNEL"))
        listen_to_kernel(variables);
}
