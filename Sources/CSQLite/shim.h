// SQLite for Swift.
#ifndef JOBSERVER_CSQLITE_SHIM_H
#define JOBSERVER_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
