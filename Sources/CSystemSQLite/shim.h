// SQLite for Swift: what Swift cannot call, because it is variadic or a macro with a cast.
#ifndef JOBSERVER_CSQLITE_SHIM_H
#define JOBSERVER_CSQLITE_SHIM_H
#include <sqlite3.h>
#include <sys/vfs.h>

// The number of the kind of file system that a path is on; 0 when it cannot be found out.
static inline unsigned int csqlite_file_system(const char *path) {
    struct statfs facts;
    return statfs(path, &facts) == 0 ? (unsigned int)facts.f_type : 0;
}

// Switches off the counting of allocated memory, which costs a lock at each allocation.
// To be called before anything else; later it is refused and has no effect.
static inline int csqlite_forget_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Keeps a connection from moving the write-ahead log into the database when it is closed.
static inline int csqlite_forbid_checkpoint_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Bytes that SQLite copies.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Bytes that stay where they are until the statement is reset.
static inline int csqlite_bind_text_static(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_STATIC);
}
static inline int csqlite_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
#endif
