/* Counts the writing calls of a process and its children, and kills or fails the one it is told to.
 *
 * Preloaded before the C library. All processes share one page of memory: the campaign writes what should happen
 * there, the calls count themselves in it. Nothing happens while `armed` is 0. Where `logs` is set, each call also
 * writes down what it changed, so that `disk.py` can tell what a power cut leaves of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 65536
#define LOG (256L << 20)

enum { COUNT, BEFORE, AFTER, TORN, ERROR, OFF, ORPHAN, CUT };

struct page {
    int armed, mode, error, lasting, main_pid, fired, logs, overflowed;
    long at, count, logged;
    char errors[32];    /* the kinds of call that can end with this error */
    char limbo[2][256]; /* where files go that lose their last name: their inodes come back after a power cut */
    char calls[MOST];   /* the kind of each call; in capitals where a child process made it */
    char log[LOG];      /* what each call changed: records, one after the other */
};

struct key { long device, inode; };

/* One change. `first` and `second` are the names in the folders of those keys; then come `size` bytes of data. */
struct record {
    long length, kind;
    struct key node, folder, other;
    long at, when, first, second, size;
};

struct place { struct key folder, node; const char *name; int links, regular; };

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
    if ((getpid() == page->main_pid && mode != CUT) || mode == OFF) page->armed = 0;
    if (mode == OFF || mode == CUT) kill(page->main_pid, SIGKILL);
    kill(getpid(), SIGKILL);
    pause();
}

/* The memdeck dies, the git that it started lives on. */
static int orphaned(void) {
    page->fired = 1;
    page->armed = 0;
    kill(page->main_pid, SIGKILL);
    return 0;
}

/* Counts one call. 0: let it be; AFTER and TORN are the caller's to do; ERROR: fail with errno set. */
static int meets(char kind) {
    if (!page || !page->armed) return 0;
    if (page->mode == CUT && page->fired) die(CUT); /* a process that is still there: the power is gone for all */
    long n = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
    int child = getpid() != page->main_pid;
    if (n <= MOST) page->calls[n - 1] = child ? kind - 32 : kind;
    if (page->mode == COUNT || n < page->at || (n > page->at && !page->lasting)) return 0;
    switch (page->mode) {
        case BEFORE: case OFF: case CUT: die(page->mode); return 0;
        case ORPHAN: return orphaned();
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

static int logs(void) { return page && page->armed && page->logs; }

static struct key key_of(const struct stat *facts) {
    struct key key = {facts->st_dev, facts->st_ino};
    return key;
}

/* Looks at a path before it is changed: its folder, the last part of its name, and what stands there. */
static struct place place_of(int folder, const char *path) {
    struct place place = {{0, 0}, {0, 0}, path, 0, 0};
    struct stat facts;
    const char *cut = strrchr(path, '/');
    char above[4096] = ".";
    if (cut) {
        size_t size = cut == path ? 1 : (size_t)(cut - path);
        if (size >= sizeof above) return place;
        memcpy(above, path, size);
        above[size] = 0;
        place.name = cut + 1;
    }
    if (fstatat(folder, above, &facts, 0) == 0) place.folder = key_of(&facts);
    if (fstatat(folder, path, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
        place.node = key_of(&facts);
        place.links = facts.st_nlink;
        place.regular = S_ISREG(facts.st_mode);
    }
    return place;
}

static void note(char kind, struct key node, const struct place *first, const struct place *second, long at,
                 const void *data, long size) {
    long one = first ? (long)strlen(first->name) : 0, two = second ? (long)strlen(second->name) : 0;
    long length = (sizeof(struct record) + one + two + size + 7) / 8 * 8;
    long start = __atomic_fetch_add(&page->logged, length, __ATOMIC_SEQ_CST);
    if (start + length > LOG) { page->overflowed = 1; return; }
    struct key none = {0, 0};
    struct stat facts;
    long when = 0;
    if (kind == 'x') { when = second->node.inode; at = second->node.device; }
    if (kind == 'y' && fstat((int)at, &facts) == 0) {
        when = facts.st_mtim.tv_sec * 1000000000L + facts.st_mtim.tv_nsec;
        at = data != NULL;
    }
    struct record record = {length, kind, node, first ? first->folder : none, second ? second->folder : none,
                            at, when, one, two, size};
    char *into = page->log + start;
    memcpy(into, &record, sizeof record);
    into += sizeof record;
    if (one) memcpy(into, first->name, one);
    if (two) memcpy(into + one, second->name, two);
    if (size) memcpy(into + one + two, data, size);
}

/* Two names that are exchanged (RENAME_EXCHANGE). */
static void note_pair(const struct place *first, const struct place *second) {
    note('x', first->node, first, second, 0, NULL, 0);
}

/* The same for an open file. */
static void note_open(char kind, int fd, long at, const void *data, long size) {
    struct stat facts;
    if (fstat(fd, &facts) == 0) note(kind, key_of(&facts), NULL, NULL, at, data, size);
}

/* What is durable from here on; of a small file its bytes too, for stdio writes without a call that could be seen. */
static void synced(int fd) {
    char data[4096], name[64];
    struct stat facts;
    static int (*real)(const char *, int, ...);
    if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int own = -1;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= (long)sizeof data) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        own = real(name, O_RDONLY | O_CLOEXEC);
    }
    ssize_t size = own < 0 ? -1 : read(own, data, sizeof data);
    note_open('y', fd, fd, size < 0 ? NULL : data, size < 0 ? 0 : size);
    if (own >= 0) close(own);
}

/* Keeps the file that is about to lose its last name. */
static void keep(int folder, const char *path, const struct place *place) {
    char kept[512];
    if (!place->regular || place->links != 1) return;
    static int (*real)(int, const char *, int, const char *, int);
    if (!real) real = (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");
    for (int n = 0; n < 2; n++) {
        snprintf(kept, sizeof kept, "%s/%ld-%ld", page->limbo[n], place->node.device, place->node.inode);
        if (real(folder, path, AT_FDCWD, kept, 0) == 0 || errno == EEXIST) return;
    }
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))next(#name)

/* `look` runs before the call and `tell` after it, where calls are written down. */
#define GUARDED(kind, condition, look, call, tell) do { \
    int meeting = (condition) ? meets(kind) : 0; \
    if (meeting == ERROR) return -1; \
    int logging = (condition) && logs(); \
    struct place first, second; (void)first; (void)second; \
    if (logging) { look; } \
    __typeof__(call) answer = (call); \
    int left = errno; \
    if (logging && answer >= 0) { tell; } \
    errno = left; \
    if (meeting == AFTER || meeting == TORN) die(meeting); \
    return answer; } while (0)

#define PLAIN(kind, name, parameters, arguments, look, tell, ...) \
    int name parameters { REAL(int, name, __VA_ARGS__); GUARDED(kind, 1, look, real arguments, tell); }

/* A new file, or one that is emptied. */
static void opened(int fd, int flags, const struct place *before) {
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
    if ((flags & O_CREAT) && !before->node.inode) note('o', key_of(&facts), before, NULL, facts.st_mode, NULL, 0);
    else if (flags & O_TRUNC) note('t', key_of(&facts), NULL, NULL, 0, NULL, 0);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        REAL(int, name, const char *, int, ...); \
        GUARDED('o', counts(path, flags), first = place_of(AT_FDCWD, path), real(path, flags, mode), \
                opened(answer, flags, &first)); }
#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        REAL(int, name, int, const char *, int, ...); \
        GUARDED('o', counts(path, flags), first = place_of(folder, path), real(folder, path, flags, mode), \
                opened(answer, flags, &first)); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }

#define WRITING(kind, call, half, start, tell) do { \
    int meeting = is_file(fd) ? meets(kind) : 0; \
    if (meeting == ERROR) return -1; \
    if (meeting == TORN) { if (size > 1) { ssize_t part = (half); (void)part; } die(TORN); } \
    ssize_t answer = (call); \
    int left = errno; \
    if (answer > 0 && logs() && is_file(fd)) { long begun = (start); tell; } \
    errno = left; \
    if (meeting == AFTER) die(AFTER); \
    return answer; } while (0)

#define BEGUN (lseek(fd, 0, SEEK_CUR) - answer)

static void gathered(int fd, const struct iovec *parts, long left, long at) {
    for (; left > 0; parts++) {
        long size = left < (long)parts->iov_len ? left : (long)parts->iov_len;
        note_open('w', fd, at, parts->iov_base, size);
        at += size;
        left -= size;
    }
}

static void sent(int fd, int source, long from, long left, long at) {
    char piece[65536];
    while (left > 0) {
        ssize_t size = pread(source, piece, left < (long)sizeof piece ? left : (long)sizeof piece, from);
        if (size <= 0) return;
        note_open('w', fd, at, piece, size);
        at += size; from += size; left -= size;
    }
}

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    WRITING('w', real(fd, data, size), real(fd, data, size / 2), BEGUN, note_open('w', fd, begun, data, answer));
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    WRITING('w', real(fd, data, size, at), real(fd, data, size / 2, at), at,
            note_open('w', fd, begun, data, answer));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    WRITING('w', real(fd, data, size, at), real(fd, data, size / 2, at), at,
            note_open('w', fd, begun, data, answer));
}
ssize_t writev(int fd, const struct iovec *parts, int size) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    WRITING('w', real(fd, parts, size), real(fd, parts, size / 2), BEGUN, gathered(fd, parts, answer, begun));
}
ssize_t sendfile64(int fd, int source, off64_t *at, size_t size) {
    REAL(ssize_t, sendfile64, int, int, off64_t *, size_t);
    WRITING('w', real(fd, source, at, size), real(fd, source, at, size / 2), BEGUN,
            sent(fd, source, (at ? *at : lseek(source, 0, SEEK_CUR)) - answer, answer, begun));
}

PLAIN('y', fsync, (int fd), (fd), , synced(fd), int)
PLAIN('y', fdatasync, (int fd), (fd), , synced(fd), int)
PLAIN('t', ftruncate, (int fd, off_t size), (fd, size), , note_open('t', fd, size, NULL, 0), int, off_t)
PLAIN('t', ftruncate64, (int fd, off64_t size), (fd, size), , note_open('t', fd, size, NULL, 0), int, off64_t)

/* The same, with `look, tell` as one macro: it is expanded before it is taken apart. */
#define PLAIN_TWO(kind, name, parameters, arguments, ...) PLAIN(kind, name, parameters, arguments, __VA_ARGS__)

#define RENAMED(d, a, e, b) \
    first = place_of(d, a); second = place_of(e, b); keep(e, b, &second), \
    note('r', first.node, &first, &second, 0, NULL, 0)
#define EXCHANGED(d, a, e, b, f) \
    first = place_of(d, a); second = place_of(e, b); if (!(f & 2)) keep(e, b, &second), \
    if (f & 2) note_pair(&first, &second); else note('r', first.node, &first, &second, 0, NULL, 0)
PLAIN_TWO('r', rename, (const char *a, const char *b), (a, b), RENAMED(AT_FDCWD, a, AT_FDCWD, b),
      const char *, const char *)
PLAIN_TWO('r', renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), RENAMED(d, a, e, b),
      int, const char *, int, const char *)
PLAIN_TWO('r', renameat2, (int d, const char *a, int e, const char *b, unsigned int f), (d, a, e, b, f),
      EXCHANGED(d, a, e, b, f), int, const char *, int, const char *, unsigned int)

#define LINKED(d, a, e, b) \
    first = place_of(d, a); second = place_of(e, b), note('l', first.node, &second, NULL, 0, NULL, 0)
PLAIN_TWO('l', link, (const char *a, const char *b), (a, b), LINKED(AT_FDCWD, a, AT_FDCWD, b),
      const char *, const char *)
PLAIN_TWO('l', linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f), LINKED(d, a, e, b),
      int, const char *, int, const char *, int)

/* What is there now is noted, since it was not there before. */
static void made(char kind, int folder, const char *path, const void *data) {
    struct place now = place_of(folder, path);
    note(kind, now.node, &now, NULL, 0, data, data ? (long)strlen(data) : 0);
}
PLAIN('s', symlink, (const char *a, const char *b), (a, b), , made('s', AT_FDCWD, b, a), const char *, const char *)
PLAIN('s', symlinkat, (const char *a, int d, const char *b), (a, d, b), , made('s', d, b, a),
      const char *, int, const char *)
PLAIN('m', mkdir, (const char *a, mode_t m), (a, m), , made('m', AT_FDCWD, a, NULL), const char *, mode_t)
PLAIN('m', mkdirat, (int d, const char *a, mode_t m), (d, a, m), , made('m', d, a, NULL), int, const char *, mode_t)

#define GONE(d, a) first = place_of(d, a); keep(d, a, &first), note('u', first.node, &first, NULL, 0, NULL, 0)
PLAIN_TWO('u', unlink, (const char *a), (a), GONE(AT_FDCWD, a), const char *)
PLAIN_TWO('u', unlinkat, (int d, const char *a, int f), (d, a, f), GONE(d, a), int, const char *, int)
PLAIN_TWO('u', rmdir, (const char *a), (a), GONE(AT_FDCWD, a), const char *)

PLAIN('c', chmod, (const char *a, mode_t m), (a, m), , , const char *, mode_t)
PLAIN('c', fchmod, (int fd, mode_t m), (fd, m), , , int, mode_t)
PLAIN('c', fchmodat, (int d, const char *a, mode_t m, int f), (d, a, m, f), , , int, const char *, mode_t, int)
PLAIN('c', fchown, (int fd, uid_t u, gid_t g), (fd, u, g), , , int, uid_t, gid_t)
PLAIN('c', chown, (const char *a, uid_t u, gid_t g), (a, u, g), , , const char *, uid_t, gid_t)
PLAIN('k', flock, (int fd, int how), (fd, how), , , int, int)

#define LOCKING(name) \
    int name(int fd, int what, ...) { \
        va_list list; va_start(list, what); void *argument = va_arg(list, void *); va_end(list); \
        REAL(int, name, int, int, ...); \
        GUARDED('k', what == F_SETLK || what == F_SETLKW, , real(fd, what, argument), ); }
LOCKING(fcntl) LOCKING(fcntl64)
