#include "faultydisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A file of the layer: SQLite's own file stands behind it in the same piece of memory.
typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    int isWatched;
    enum faulty_file kind;
} faulty_handle;

static sqlite3_vfs layer;
static sqlite3_vfs *original;
static char directory[1024];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int codes[2][2];
static atomic_int counts[2][2];

static sqlite3_file *real_of(sqlite3_file *file) { return ((faulty_handle *)file)->real; }

static int verdict(sqlite3_file *file, enum faulty_operation operation) {
    faulty_handle *handle = (faulty_handle *)file;
    if (!handle->isWatched) return SQLITE_OK;
    atomic_fetch_add(&counts[operation][handle->kind], 1);
    return atomic_load(&codes[operation][handle->kind]);
}

static int do_close(sqlite3_file *file) {
    sqlite3_file *real = real_of(file);
    return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}
static int do_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}
static int do_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code = verdict(file, FAULTY_WRITE);
    return code ? code : real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
}
static int do_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
static int do_sync(sqlite3_file *file, int flags) {
    int code = verdict(file, FAULTY_SYNC);
    return code ? code : real_of(file)->pMethods->xSync(real_of(file), flags);
}
static int do_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
static int do_lock(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int do_unlock(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int do_check_lock(sqlite3_file *file, int *out) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}
static int do_control(sqlite3_file *file, int operation, void *argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}
static int do_sector(sqlite3_file *file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
static int do_traits(sqlite3_file *file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
static int do_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}
static int do_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
static void do_shm_barrier(sqlite3_file *file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
static int do_shm_unmap(sqlite3_file *file, int removes) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), removes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = do_close,
    .xRead = do_read,
    .xWrite = do_write,
    .xTruncate = do_truncate,
    .xSync = do_sync,
    .xFileSize = do_size,
    .xLock = do_lock,
    .xUnlock = do_unlock,
    .xCheckReservedLock = do_check_lock,
    .xFileControl = do_control,
    .xSectorSize = do_sector,
    .xDeviceCharacteristics = do_traits,
    .xShmMap = do_shm_map,
    .xShmLock = do_shm_lock,
    .xShmBarrier = do_shm_barrier,
    .xShmUnmap = do_shm_unmap,
};

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
    (void)vfs;
    faulty_handle *handle = (faulty_handle *)file;
    handle->real = (sqlite3_file *)(handle + 1);
    handle->kind = flags & SQLITE_OPEN_WAL ? FAULTY_LOG : FAULTY_MAIN;
    pthread_mutex_lock(&lock);
    handle->isWatched = name != NULL && directory[0] != 0 && strncmp(name, directory, strlen(directory)) == 0;
    pthread_mutex_unlock(&lock);
    int code = original->xOpen(original, name, handle->real, flags, outFlags);
    handle->base.pMethods = code == SQLITE_OK || handle->real->pMethods ? &methods : NULL;
    return code;
}

int faulty_register(void) {
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (original == NULL) {
        original = sqlite3_vfs_find("unix-excl");
        if (original != NULL) {
            layer = *original;
            layer.zName = "faulty";
            layer.szOsFile = (int)sizeof(faulty_handle) + original->szOsFile;
            layer.xOpen = do_open;
            layer.pNext = NULL;
            code = sqlite3_vfs_register(&layer, 0);
        } else {
            code = SQLITE_NOTFOUND;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void faulty_fail(
    const char *path, enum faulty_operation operation, enum faulty_file file, enum faulty_code code) {
    pthread_mutex_lock(&lock);
    if (strcmp(directory, path) != 0) {
        strncpy(directory, path, sizeof directory - 1);
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 2; k++) {
                atomic_store(&codes[i][k], 0);
                atomic_store(&counts[i][k], 0);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    atomic_store(&codes[operation][file], code);
}

void faulty_heal(void) {
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) atomic_store(&codes[i][k], 0);
    }
}

int faulty_count(enum faulty_operation operation, enum faulty_file file) {
    return atomic_load(&counts[operation][file]);
}
