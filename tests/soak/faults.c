/* Counts the writing calls of a process and its children, and kills or fails the one it is told to.
 *
 * Preloaded before the C library. All processes share one page of memory: the campaign writes what should happen
 * there, the calls count themselves in it. Nothing happens while `armed` is 0. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 65536

enum { COUNT, BEFORE, AFTER, TORN, ERROR, OFF };

struct page {
    int armed, mode, error, lasting, main_pid, fired;
    long at, count;
    char errors[32];    /* the kinds of call that can end with this error */
    char calls[MOST];   /* the kind of each call; in capitals where a child process made it */
};

static struct page *page;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("MEMDECK_FAULTS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (found != MAP_FAILED) page = found;
    close(fd);
}

static void die(int mode) {
    page->fired = 1;
    if (getpid() == page->main_pid || mode == OFF) page->armed = 0;
    if (mode == OFF) kill(page->main_pid, SIGKILL);
    kill(getpid(), SIGKILL);
    pause();
}

/* Counts one call. 0: let it be; AFTER and TORN are the caller's to do; ERROR: fail with errno set. */
static int meets(char kind) {
    if (!page || !page->armed) return 0;
    long n = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
    int child = getpid() != page->main_pid;
    if (n <= MOST) page->calls[n - 1] = child ? kind - 32 : kind;
    if (page->mode == COUNT || n < page->at || (n > page->at && !page->lasting)) return 0;
    switch (page->mode) {
        case BEFORE: case OFF: die(page->mode); return 0;
        case ERROR:
            if (!strchr(page->errors, kind)) return 0;
            page->fired = 1;
            errno = page->error;
            return ERROR;
        default: return page->mode;
    }
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static int is_file(int fd) {
    struct stat facts;
    int told = fd <= 2 && page && getpid() == page->main_pid; /* what a command prints is no file of anybody's */
    return !told && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

static int counts(const char *path, int flags) {
    if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_ACCMODE) == O_RDONLY) return 0;
    if (!strncmp(path, "/dev/shm/", 9)) return 1;
    return strncmp(path, "/dev/", 5) && strncmp(path, "/proc/", 6);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))next(#name)

#define GUARDED(kind, condition, call) do { \
    int meeting = (condition) ? meets(kind) : 0; \
    if (meeting == ERROR) return -1; \
    __typeof__(call) answer = (call); \
    if (meeting == AFTER || meeting == TORN) die(meeting); \
    return answer; } while (0)

#define PLAIN(kind, name, parameters, arguments, ...) \
    int name parameters { REAL(int, name, __VA_ARGS__); GUARDED(kind, 1, real arguments); }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        REAL(int, name, const char *, int, ...); GUARDED('o', counts(path, flags), real(path, flags, mode)); }
#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        REAL(int, name, int, const char *, int, ...); \
        GUARDED('o', counts(path, flags), real(folder, path, flags, mode)); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }

#define WRITING(kind, call, half) do { \
    int meeting = is_file(fd) ? meets(kind) : 0; \
    if (meeting == ERROR) return -1; \
    if (meeting == TORN) { if (size > 1) { ssize_t part = (half); (void)part; } die(TORN); } \
    ssize_t answer = (call); \
    if (meeting == AFTER) die(AFTER); \
    return answer; } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    WRITING('w', real(fd, data, size), real(fd, data, size / 2));
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    WRITING('w', real(fd, data, size, at), real(fd, data, size / 2, at));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    WRITING('w', real(fd, data, size, at), real(fd, data, size / 2, at));
}
ssize_t writev(int fd, const struct iovec *parts, int size) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    WRITING('w', real(fd, parts, size), real(fd, parts, size / 2));
}
ssize_t sendfile64(int fd, int source, off64_t *at, size_t size) {
    REAL(ssize_t, sendfile64, int, int, off64_t *, size_t);
    WRITING('w', real(fd, source, at, size), real(fd, source, at, size / 2));
}

PLAIN('y', fsync, (int fd), (fd), int)
PLAIN('y', fdatasync, (int fd), (fd), int)
PLAIN('t', ftruncate, (int fd, off_t size), (fd, size), int, off_t)
PLAIN('t', ftruncate64, (int fd, off64_t size), (fd, size), int, off64_t)
PLAIN('r', rename, (const char *a, const char *b), (a, b), const char *, const char *)
PLAIN('r', renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), int, const char *, int, const char *)
PLAIN('r', renameat2, (int d, const char *a, int e, const char *b, unsigned int f), (d, a, e, b, f),
      int, const char *, int, const char *, unsigned int)
PLAIN('l', link, (const char *a, const char *b), (a, b), const char *, const char *)
PLAIN('l', linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f),
      int, const char *, int, const char *, int)
PLAIN('l', symlink, (const char *a, const char *b), (a, b), const char *, const char *)
PLAIN('l', symlinkat, (const char *a, int d, const char *b), (a, d, b), const char *, int, const char *)
PLAIN('u', unlink, (const char *a), (a), const char *)
PLAIN('u', unlinkat, (int d, const char *a, int f), (d, a, f), int, const char *, int)
PLAIN('u', rmdir, (const char *a), (a), const char *)
PLAIN('m', mkdir, (const char *a, mode_t m), (a, m), const char *, mode_t)
PLAIN('m', mkdirat, (int d, const char *a, mode_t m), (d, a, m), int, const char *, mode_t)
PLAIN('c', chmod, (const char *a, mode_t m), (a, m), const char *, mode_t)
PLAIN('c', fchmod, (int fd, mode_t m), (fd, m), int, mode_t)
PLAIN('c', fchmodat, (int d, const char *a, mode_t m, int f), (d, a, m, f), int, const char *, mode_t, int)
PLAIN('c', fchown, (int fd, uid_t u, gid_t g), (fd, u, g), int, uid_t, gid_t)
PLAIN('c', chown, (const char *a, uid_t u, gid_t g), (a, u, g), const char *, uid_t, gid_t)
PLAIN('k', flock, (int fd, int how), (fd, how), int, int)

#define LOCKING(name) \
    int name(int fd, int what, ...) { \
        va_list list; va_start(list, what); void *argument = va_arg(list, void *); va_end(list); \
        REAL(int, name, int, int, ...); \
        GUARDED('k', what == F_SETLK || what == F_SETLKW, real(fd, what, argument)); }
LOCKING(fcntl) LOCKING(fcntl64)
