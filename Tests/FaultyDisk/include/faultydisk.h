// A disk that fails on request: a layer over SQLite's own access to files, for tests.
#ifndef JOBSERVER_FAULTYDISK_H
#define JOBSERVER_FAULTYDISK_H

// What can fail, and what is counted.
enum faulty_operation { FAULTY_WRITE = 0, FAULTY_SYNC = 1 };
// On which file.
enum faulty_file { FAULTY_MAIN = 0, FAULTY_LOG = 1 };
// How: with one of SQLite's result codes.
enum faulty_code {
    FAULTY_NOT = 0,
    FAULTY_CORRUPT = 11,
    FAULTY_FULL = 13,
    FAULTY_IO_WRITE = 10 | 3 << 8,
    FAULTY_IO_SYNC = 10 | 4 << 8
};

// Makes the layer known to SQLite under the name "faulty"; 0 when that went well. A second time does no harm.
int faulty_register(void);

// From now on the operation fails with `code` for files below `directory`.
// There is one such directory at a time; another one clears what was set and counted before.
void faulty_fail(
    const char *directory, enum faulty_operation operation, enum faulty_file file, enum faulty_code code);

// Nothing fails any more.
void faulty_heal(void);

// How often the operation was tried on files below the directory given last.
int faulty_count(enum faulty_operation operation, enum faulty_file file);

#endif
