#define _GNU_SOURCE
#include "shim_draft.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int nj_open_unnamed(int directory, mode_t mode) {
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

// By way of /proc, since AT_EMPTY_PATH takes a capability that ordinary users lack (open(2), O_TMPFILE).
int nj_link_unnamed(int file, int directory, const char *name) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}
