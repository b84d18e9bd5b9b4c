#define _GNU_SOURCE
#include "shim_posix.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

int nj_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int nj_reflink(int destination, int source) {
    return ioctl(destination, FICLONE, source);
}

int nj_rename_new(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int nj_pipe(int *ends) {
    return pipe2(ends, O_CLOEXEC);
}

void nj_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

int nj_sync_file_system(int descriptor) {
    return syncfs(descriptor);
}

int nj_duplicate(int descriptor, int least) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, least);
}

int nj_start_writing(int descriptor, long long offset, long long count) {
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

// A GNU extension that Swift does not import.
int nj_fallocate(int file, long long size) {
    return fallocate(file, 0, 0, size);
}
