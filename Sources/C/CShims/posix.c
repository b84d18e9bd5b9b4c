#define _GNU_SOURCE
#include "shim_posix.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

int nj_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int nj_reflink(int destination, int source) {
    return ioctl(destination, FICLONE, source);
}
