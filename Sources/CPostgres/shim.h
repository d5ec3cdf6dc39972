// libpq for Swift: what Swift cannot call, because it is a macro.
#ifndef JOBSERVER_CPOSTGRES_SHIM_H
#define JOBSERVER_CPOSTGRES_SHIM_H
#include <libpq-fe.h>

// The fields of an error that are read (PG_DIAG_… are characters).
static const int cpostgres_sqlstate = PG_DIAG_SQLSTATE;
static const int cpostgres_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int cpostgres_message = PG_DIAG_MESSAGE_PRIMARY;
#endif
