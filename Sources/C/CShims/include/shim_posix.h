#ifndef NIGHTJAR_SHIM_POSIX_H
#define NIGHTJAR_SHIM_POSIX_H

#include <sys/types.h>

int nj_openat(int directory, const char *path, int flags, mode_t mode);
/// FICLONE: shares the source's blocks with the destination where the file system can.
int nj_reflink(int destination, int source);
/// renameat2 with RENAME_NOREPLACE.
int nj_rename_new(int from_directory, const char *from, int to_directory, const char *to);
/// syncfs: makes everything on the file system of an open file durable.
int nj_sync_file_system(int descriptor);
/// pipe2 with O_CLOEXEC: the reading end, then the writing one.
int nj_pipe(int *ends);
/// Names the calling thread; 15 bytes count.
void nj_name_thread(const char *name);

// A copy of a descriptor with the lowest free number from `least` on, closed on exec.
int nj_duplicate(int descriptor, int least);

// Begins to write a range of a file to the disk, without waiting for it.
int nj_start_writing(int descriptor, long long offset, long long count);

int nj_fallocate(int file, long long size);

#endif
