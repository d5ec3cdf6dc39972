// Gathers what SQLite writes to the write-ahead log until it is synced, and what a checkpoint writes to the database,
// and writes neighbours in one piece: SQLite writes the head and the page of each frame, and each page of the database,
// by a system call of its own.
//
// A log is written in `xSync` at the latest, and a failure of that fails the commit. Pages of the database are gathered
// between CKPT_START and CKPT_DONE, which `walCheckpoint` of SQLite hands to `xFileControl` before the first page and
// behind the last. So whoever sees that `nBackfill` has moved, which follows, finds all of them in the file; until then
// readers take them from the log. But SQLite ignores the result of CKPT_DONE. Only `xTruncate` and `xSync` can fail the
// checkpoint after that, and it calls them only if `mxSafeFrame`, up to which it copies, is the `mxFrame` of the log's
// index: not if a reader holds it up, nor if a writer has appended meanwhile. So pages are gathered only if at
// CKPT_START
// - `nBackfillAttempted`, where `walCheckpoint` has just stored `mxSafeFrame`, is that `mxFrame`, and
// - this connection holds WAL_WRITE_LOCK, without which nobody changes `mxFrame` (`walIndexWriteHdr`): a checkpoint
//   that is not passive takes it before it reads the index, and gives it back at its end (`sqlite3WalCheckpoint`).
// Then the two are still equal at the end, and `xTruncate` reports pages that could not be written. Read in SQLite
// 3.40.1; the tests of checkpoints on a failing disk notice another order. A failure stays until this connection's next
// checkpoint, so no other connection may make one.
#ifndef JOBSERVER_CSQLITE_GATHERING_H
#define JOBSERVER_CSQLITE_GATHERING_H
#include <sqlite3.h>
#include <string.h>

// The most bytes that are gathered. SQLite's file access writes the length modulo 128 KiB.
enum { csqlite_gathered_max = 124 << 10 };

// The index of the log, in memory that connections share: https://www.sqlite.org/walformat.html, section 2.1.
enum { csqlite_index_bytes = 32 << 10, csqlite_frames_at = 16 / 4, csqlite_frames_attempted_at = 128 / 4 };

// An open log or database. SQLite's own file stands behind it in the same piece of memory.
typedef struct {
    sqlite3_file base;
    unsigned char *bytes;
    int count;
    sqlite3_int64 start;
    // Whether writes are gathered now: those to a log always.
    int gathers;
    int isLog;
    // Of a database: whether the connection may append to its log.
    int mayAppend;
    // Of a database: why pages of the last checkpoint were not written.
    int failure;
} csqlite_gathered;

static sqlite3_file *csqlite_gathered_file(sqlite3_file *file) {
    return (sqlite3_file *)((csqlite_gathered *)file + 1);
}

// Writes what was gathered. A failure on a log is then forgotten: the commit fails, and no client was told of it.
static int csqlite_gathered_flush(sqlite3_file *file) {
    csqlite_gathered *gathered = (csqlite_gathered *)file;
    int count = gathered->count;
    gathered->count = 0;
    if (count == 0) return SQLITE_OK;
    sqlite3_file *real = csqlite_gathered_file(file);
    int code = real->pMethods->xWrite(real, gathered->bytes, count, gathered->start);
    if (!gathered->isLog && gathered->failure == SQLITE_OK) gathered->failure = code;
    return code;
}

// The same, and fails as long as pages are missing.
static int csqlite_gathered_settle(sqlite3_file *file) {
    int code = csqlite_gathered_flush(file);
    return code != SQLITE_OK ? code : ((csqlite_gathered *)file)->failure;
}

static int csqlite_gathered_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    csqlite_gathered *gathered = (csqlite_gathered *)file;
    sqlite3_file *real = csqlite_gathered_file(file);
    if (gathered->failure != SQLITE_OK) return gathered->failure;
    if (!gathered->gathers) return real->pMethods->xWrite(real, bytes, count, offset);
    int isNext = gathered->count > 0 && offset == gathered->start + gathered->count;
    if (!isNext || count > csqlite_gathered_max - gathered->count) {
        int code = csqlite_gathered_flush(file);
        if (code != SQLITE_OK) return code;
        if (gathered->bytes == NULL) gathered->bytes = (unsigned char *)sqlite3_malloc(csqlite_gathered_max);
        if (gathered->bytes == NULL || count > csqlite_gathered_max) {
            return real->pMethods->xWrite(real, bytes, count, offset);
        }
        gathered->start = offset;
    }
    memcpy(gathered->bytes + gathered->count, bytes, (size_t)count);
    gathered->count += count;
    return SQLITE_OK;
}

static int csqlite_gathered_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = csqlite_gathered_flush(file);
    sqlite3_file *real = csqlite_gathered_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xRead(real, bytes, count, offset);
}

static int csqlite_gathered_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = csqlite_gathered_settle(file);
    sqlite3_file *real = csqlite_gathered_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xTruncate(real, size);
}

static int csqlite_gathered_sync(sqlite3_file *file, int flags) {
    int code = csqlite_gathered_settle(file);
    sqlite3_file *real = csqlite_gathered_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xSync(real, flags);
}

static int csqlite_gathered_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = csqlite_gathered_flush(file);
    sqlite3_file *real = csqlite_gathered_file(file);
    return code != SQLITE_OK ? code : real->pMethods->xFileSize(real, size);
}

// Log that was not synced belongs to no commit, and pages that were not written are still in the log.
static int csqlite_gathered_close(sqlite3_file *file) {
    sqlite3_free(((csqlite_gathered *)file)->bytes);
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xClose(real);
}

static int csqlite_gathered_lock(sqlite3_file *file, int level) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xLock(real, level);
}

static int csqlite_gathered_unlock(sqlite3_file *file, int level) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xUnlock(real, level);
}

static int csqlite_gathered_check_lock(sqlite3_file *file, int *out) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xCheckReservedLock(real, out);
}

// Whether the checkpoint that begins ends with a sync of the database, see above.
static int csqlite_moves_whole_log(sqlite3_file *file) {
    if (!((csqlite_gathered *)file)->mayAppend) return 0;
    sqlite3_file *real = csqlite_gathered_file(file);
    volatile void *found = NULL;
    int code = real->pMethods->xShmMap(real, 0, csqlite_index_bytes, 0, &found);
    if (code != SQLITE_OK || found == NULL) return 0;
    const volatile unsigned int *index = (const volatile unsigned int *)found;
    return index[csqlite_frames_attempted_at] == index[csqlite_frames_at];
}

static int csqlite_gathered_control(sqlite3_file *file, int operation, void *argument) {
    csqlite_gathered *gathered = (csqlite_gathered *)file;
    if (!gathered->isLog) {
        (void)csqlite_gathered_flush(file);
        if (operation == SQLITE_FCNTL_CKPT_START) {
            gathered->gathers = csqlite_moves_whole_log(file);
            // It copies all pages that an earlier one could not.
            gathered->failure = SQLITE_OK;
        } else if (operation == SQLITE_FCNTL_CKPT_DONE) {
            gathered->gathers = 0;
        }
    }
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xFileControl(real, operation, argument);
}

static int csqlite_gathered_sector(sqlite3_file *file) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xSectorSize(real);
}

static int csqlite_gathered_traits(sqlite3_file *file) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xDeviceCharacteristics(real);
}

static int csqlite_gathered_shm_map(sqlite3_file *file, int region, int size, int extends, void volatile **out) {
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xShmMap(real, region, size, extends, out);
}

// The first of the locks, number 0, is WAL_WRITE_LOCK.
static int csqlite_gathered_shm_lock(sqlite3_file *file, int first, int count, int flags) {
    sqlite3_file *real = csqlite_gathered_file(file);
    int code = real->pMethods->xShmLock(real, first, count, flags);
    if (first == 0 && code == SQLITE_OK && (flags & SQLITE_SHM_EXCLUSIVE) != 0) {
        ((csqlite_gathered *)file)->mayAppend = (flags & SQLITE_SHM_LOCK) != 0;
    }
    return code;
}

static void csqlite_gathered_shm_barrier(sqlite3_file *file) {
    sqlite3_file *real = csqlite_gathered_file(file);
    real->pMethods->xShmBarrier(real);
}

static int csqlite_gathered_shm_unmap(sqlite3_file *file, int removes) {
    ((csqlite_gathered *)file)->mayAppend = 0;
    sqlite3_file *real = csqlite_gathered_file(file);
    return real->pMethods->xShmUnmap(real, removes);
}

// Of version 2, so that SQLite does not map the database into memory and reads through `xRead`.
static const sqlite3_io_methods csqlite_gathered_methods = {
    .iVersion = 2,
    .xClose = csqlite_gathered_close,
    .xRead = csqlite_gathered_read,
    .xWrite = csqlite_gathered_write,
    .xTruncate = csqlite_gathered_truncate,
    .xSync = csqlite_gathered_sync,
    .xFileSize = csqlite_gathered_size,
    .xLock = csqlite_gathered_lock,
    .xUnlock = csqlite_gathered_unlock,
    .xCheckReservedLock = csqlite_gathered_check_lock,
    .xFileControl = csqlite_gathered_control,
    .xSectorSize = csqlite_gathered_sector,
    .xDeviceCharacteristics = csqlite_gathered_traits,
    .xShmMap = csqlite_gathered_shm_map,
    .xShmLock = csqlite_gathered_shm_lock,
    .xShmBarrier = csqlite_gathered_shm_barrier,
    .xShmUnmap = csqlite_gathered_shm_unmap,
};

// SQLite's file access with this layer over it.
typedef struct {
    sqlite3_vfs layer;
    sqlite3_vfs *real;
} csqlite_gathering;

static int csqlite_gathered_open(sqlite3_vfs *layer, const char *name, sqlite3_file *file, int flags, int *out) {
    sqlite3_vfs *real = ((csqlite_gathering *)layer)->real;
    int isLog = (flags & SQLITE_OPEN_WAL) != 0;
    if (!isLog && (flags & SQLITE_OPEN_MAIN_DB) == 0) return real->xOpen(real, name, file, flags, out);
    csqlite_gathered *gathered = (csqlite_gathered *)file;
    memset(gathered, 0, sizeof *gathered);
    gathered->isLog = isLog;
    gathered->gathers = isLog;
    sqlite3_file *under = csqlite_gathered_file(file);
    int code = real->xOpen(real, name, under, flags, out);
    if (code == SQLITE_OK) gathered->base.pMethods = &csqlite_gathered_methods;
    return code;
}

// Registers the layer over the file access `real` as `name`, unless it is registered; by one thread at a time. Only for
// connections that sync the log at each commit: others read what was committed. Returns a code of SQLite.
static inline int csqlite_gather_writes(const char *real, const char *name) {
    if (sqlite3_vfs_find(name) != NULL) return SQLITE_OK;
    sqlite3_vfs *found = sqlite3_vfs_find(real);
    if (found == NULL) return SQLITE_NOTFOUND;
    csqlite_gathering *gathering = (csqlite_gathering *)sqlite3_malloc(sizeof *gathering);
    char *kept = sqlite3_mprintf("%s", name);
    if (gathering == NULL || kept == NULL) return SQLITE_NOMEM;
    gathering->layer = *found;
    gathering->real = found;
    gathering->layer.zName = kept;
    gathering->layer.szOsFile = found->szOsFile + (int)sizeof(csqlite_gathered);
    gathering->layer.xOpen = csqlite_gathered_open;
    gathering->layer.pNext = NULL;
    return sqlite3_vfs_register(&gathering->layer, 0);
}
#endif
