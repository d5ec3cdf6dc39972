#include "CEmbedded.h"

// Package.swift takes both from the environment: JOBSERVER_COMMIT, JOBSERVER_DATE.

#ifndef JOBSERVER_COMMIT
#define JOBSERVER_COMMIT ""
#endif
#ifndef JOBSERVER_DATE
#define JOBSERVER_DATE ""
#endif

const char *embedded_commit(void) { return JOBSERVER_COMMIT; }

const char *embedded_date(void) { return JOBSERVER_DATE; }
