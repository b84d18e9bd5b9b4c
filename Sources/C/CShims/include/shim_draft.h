#ifndef NIGHTJAR_SHIM_DRAFT_H
#define NIGHTJAR_SHIM_DRAFT_H

#include <sys/types.h>

int nj_open_unnamed(int directory, mode_t mode);
int nj_link_unnamed(int file, int directory, const char *name);

#endif
