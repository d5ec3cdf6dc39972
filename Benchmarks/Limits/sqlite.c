/* How fast SQLite itself can insert: rows of 300 bytes with one index, WAL, synchronous=FULL.
 *
 * usage: sqlite FILE SECONDS ROWS      with so many rows in a transaction; prints rows for one second */
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROW_BYTES = 300 };
static sqlite3 *database;

static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run(const char *statement) {
  if (sqlite3_exec(database, statement, NULL, NULL, NULL) == SQLITE_OK) return;
  fprintf(stderr, "sqlite: %s: %s\n", statement, sqlite3_errmsg(database));
  exit(1);
}

int main(int count, char **words) {
  char row[ROW_BYTES];
  sqlite3_stmt *insert;
  if (count != 4) return 2;
  memset(row, 'x', sizeof row);
  if (sqlite3_open(words[1], &database)) return 1;
  run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE");
  run("CREATE TABLE job (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, spec TEXT NOT NULL); CREATE INDEX due ON job (due)");
  if (sqlite3_prepare_v2(database, "INSERT INTO job (due, spec) VALUES (?1, ?2)", -1, &insert, NULL)) return 1;
  int rows = atoi(words[3]);
  double begin = seconds_now(), end = begin + atof(words[2]), time = begin;
  long long done = 0;
  for (; time < end; time = seconds_now()) {
    run("BEGIN IMMEDIATE");
    for (int i = 0; i < rows; i++, done++) {
      sqlite3_bind_int64(insert, 1, done * 1000);
      sqlite3_bind_text(insert, 2, row, ROW_BYTES, SQLITE_STATIC);
      if (sqlite3_step(insert) != SQLITE_DONE) return 1;
      sqlite3_reset(insert);
    }
    run("COMMIT");
  }
  printf("%.0f\n", (double)done / (time - begin));
  return 0;
}
