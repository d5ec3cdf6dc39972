// The types and constants of libpq for Swift. Its functions are not linked: see LibPQ.swift.
#ifndef JOBSERVER_CPOSTGRES_SHIM_H
#define JOBSERVER_CPOSTGRES_SHIM_H
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// The fields of an error that are read (PG_DIAG_… are characters).
static const int cpostgres_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int cpostgres_sqlstate = PG_DIAG_SQLSTATE;
static const int cpostgres_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int cpostgres_message = PG_DIAG_MESSAGE_PRIMARY;
#endif
