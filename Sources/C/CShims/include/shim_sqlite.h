#ifndef NIGHTJAR_SHIM_SQLITE_H
#define NIGHTJAR_SHIM_SQLITE_H

#include <sqlite3.h>

int nj_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes);
int nj_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *blob, int bytes);

#endif
