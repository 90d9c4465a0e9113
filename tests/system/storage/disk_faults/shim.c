/* Preload library with disk faults on demand, only for the files of the log. The first letter in the file named by
   NOUGHTS_TEST_DISK selects the fault:
   f: disk full. w: disk full, except for the index of the write-ahead log. e: error on every write. r: read-only, as after an error seen by the kernel.
   s: error on every sync. d: error on every sync of a directory. h: syncs hang as long as the letter stays. Anything else: no fault. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static char fault(int file) {
    char link[64], path[4096], how = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    struct stat status;
    int directory = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    if (!directory && !strstr(path, "noughts.db")) return 0;
    const char *control = getenv("NOUGHTS_TEST_DISK");
    int told = control ? open(control, O_RDONLY) : -1;
    if (told < 0) return 0;
    if (read(told, &how, 1) != 1) how = 0;
    close(told);
    if (how == 'd') return directory ? 's' : 0;
    if (how == 'w') return strstr(path, "noughts.db-shm") ? 0 : 'f';
    return directory ? 0 : how;
}

static int refused(int file) {
    switch (fault(file)) {
    case 'f': errno = ENOSPC; return 1;
    case 'e': errno = EIO; return 1;
    case 'r': errno = EROFS; return 1;
    default: return 0;
    }
}

ssize_t write(int file, const void *bytes, size_t count) {
    return refused(file) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return refused(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    return refused(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}

int ftruncate(int file, off_t length) {
    return fault(file) == 'r' ? (errno = EROFS, -1) : syscall(SYS_ftruncate, file, length);
}

int ftruncate64(int file, off64_t length) {
    return fault(file) == 'r' ? (errno = EROFS, -1) : syscall(SYS_ftruncate, file, length);
}

static int unsynced(int file) {
    while (fault(file) == 'h') usleep(1000);
    if (fault(file) != 's') return 0;
    errno = EIO;
    return 1;
}

int fsync(int file) {
    return unsynced(file) ? -1 : syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    return unsynced(file) ? -1 : syscall(SYS_fdatasync, file);
}
