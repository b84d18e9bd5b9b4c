#ifndef NIGHTJAR_SHIM_POSIX_H
#define NIGHTJAR_SHIM_POSIX_H

#include <sys/types.h>

int nj_openat(int directory, const char *path, int flags, mode_t mode);
int nj_reflink(int destination, int source);

#endif
