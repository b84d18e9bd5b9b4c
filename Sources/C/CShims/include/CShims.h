#ifndef NIGHTJAR_CSHIMS_H
#define NIGHTJAR_CSHIMS_H

// Non-variadic twins of variadic C calls and values of macros that Swift cannot import; one header a library.
#include "shim_curl.h"
#include "shim_draft.h"
#include "shim_getopt.h"
#include "shim_icu.h"
#include "shim_posix.h"
#include "shim_sqlite.h"

#endif
