// Gathers what SQLite writes to the write-ahead log, and writes it in one piece before it is synced: SQLite writes the
// head and the page of each frame by a system call of its own.
#ifndef JOBSERVER_CSQLITE_LOG_H
#define JOBSERVER_CSQLITE_LOG_H
#include <sqlite3.h>
#include <string.h>

// The most bytes that are gathered. SQLite's file access writes the length modulo 128 KiB.
enum { csqlite_gathered_max = 124 << 10 };

// An open log. SQLite's own file stands behind it in the same piece of memory.
typedef struct {
    sqlite3_file base;
    unsigned char *bytes;
    int count;
    sqlite3_int64 start;
} csqlite_log;

static sqlite3_file *csqlite_log_file(sqlite3_file *file) {
    return (sqlite3_file *)((csqlite_log *)file + 1);
}

// Writes what was gathered. After a failure it is forgotten: the commit fails, and no client was told of it.
static int csqlite_log_flush(sqlite3_file *file) {
    csqlite_log *log = (csqlite_log *)file;
    int count = log->count;
    log->count = 0;
    if (count == 0) return SQLITE_OK;
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xWrite(real, log->bytes, count, log->start);
}

static int csqlite_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    csqlite_log *log = (csqlite_log *)file;
    sqlite3_file *real = csqlite_log_file(file);
    if (log->count == 0 || offset != log->start + log->count || count > csqlite_gathered_max - log->count) {
        int code = csqlite_log_flush(file);
        if (code != SQLITE_OK) return code;
        if (log->bytes == NULL) log->bytes = (unsigned char *)sqlite3_malloc(csqlite_gathered_max);
        if (log->bytes == NULL || count > csqlite_gathered_max) {
            return real->pMethods->xWrite(real, bytes, count, offset);
        }
        log->start = offset;
    }
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

static int csqlite_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = csqlite_log_flush(file);
    sqlite3_file *real = csqlite_log_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xRead(real, bytes, count, offset);
}

static int csqlite_log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = csqlite_log_flush(file);
    sqlite3_file *real = csqlite_log_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xTruncate(real, size);
}

static int csqlite_log_sync(sqlite3_file *file, int flags) {
    int code = csqlite_log_flush(file);
    sqlite3_file *real = csqlite_log_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xSync(real, flags);
}

static int csqlite_log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = csqlite_log_flush(file);
    sqlite3_file *real = csqlite_log_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xFileSize(real, size);
}

// What was not synced belongs to no commit.
static int csqlite_log_close(sqlite3_file *file) {
    sqlite3_free(((csqlite_log *)file)->bytes);
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xClose(real);
}

static int csqlite_log_lock(sqlite3_file *file, int level) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xLock(real, level);
}

static int csqlite_log_unlock(sqlite3_file *file, int level) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xUnlock(real, level);
}

static int csqlite_log_check_lock(sqlite3_file *file, int *out) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xCheckReservedLock(real, out);
}

static int csqlite_log_control(sqlite3_file *file, int operation, void *argument) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xFileControl(real, operation, argument);
}

static int csqlite_log_sector(sqlite3_file *file) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xSectorSize(real);
}

static int csqlite_log_traits(sqlite3_file *file) {
    sqlite3_file *real = csqlite_log_file(file);
    return real->pMethods->xDeviceCharacteristics(real);
}

static const sqlite3_io_methods csqlite_log_methods = {
    .iVersion = 1,
    .xClose = csqlite_log_close,
    .xRead = csqlite_log_read,
    .xWrite = csqlite_log_write,
    .xTruncate = csqlite_log_truncate,
    .xSync = csqlite_log_sync,
    .xFileSize = csqlite_log_size,
    .xLock = csqlite_log_lock,
    .xUnlock = csqlite_log_unlock,
    .xCheckReservedLock = csqlite_log_check_lock,
    .xFileControl = csqlite_log_control,
    .xSectorSize = csqlite_log_sector,
    .xDeviceCharacteristics = csqlite_log_traits,
};

// SQLite's file access with this layer over it.
typedef struct {
    sqlite3_vfs layer;
    sqlite3_vfs *real;
} csqlite_gathering;

static int csqlite_log_open(sqlite3_vfs *layer, const char *name, sqlite3_file *file, int flags, int *out) {
    sqlite3_vfs *real = ((csqlite_gathering *)layer)->real;
    if ((flags & SQLITE_OPEN_WAL) == 0) return real->xOpen(real, name, file, flags, out);
    csqlite_log *log = (csqlite_log *)file;
    memset(log, 0, sizeof *log);
    int code = real->xOpen(real, name, csqlite_log_file(file), flags, out);
    if (code == SQLITE_OK) log->base.pMethods = &csqlite_log_methods;
    return code;
}

// Registers the layer over the file access `real` as `name`, unless it is registered; by one thread at a time. Only for
// connections that sync the log at each commit: others read what was committed. Returns a code of SQLite.
static inline int csqlite_gather_log(const char *real, const char *name) {
    if (sqlite3_vfs_find(name) != NULL) return SQLITE_OK;
    sqlite3_vfs *found = sqlite3_vfs_find(real);
    if (found == NULL) return SQLITE_NOTFOUND;
    csqlite_gathering *gathering = (csqlite_gathering *)sqlite3_malloc(sizeof *gathering);
    char *kept = sqlite3_mprintf("%s", name);
    if (gathering == NULL || kept == NULL) return SQLITE_NOMEM;
    gathering->layer = *found;
    gathering->real = found;
    gathering->layer.zName = kept;
    gathering->layer.szOsFile = found->szOsFile + (int)sizeof(csqlite_log);
    gathering->layer.xOpen = csqlite_log_open;
    gathering->layer.pNext = NULL;
    return sqlite3_vfs_register(&gathering->layer, 0);
}
#endif
