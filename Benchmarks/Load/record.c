/* The rows are kept in memory and written when the run is over, so that the disk of the server is left alone. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 1 << 16 };
static Row *rows;
static size_t used, room;

void record_add(const Row *row) {
  if (used == room) {
    room = room ? room * 2 : FIRST_ROOM;
    rows = realloc(rows, room * sizeof *rows);
    if (!rows) fail("no memory for the rows");
  }
  rows[used++] = *row;
}

void record_write(void) {
  FILE *file = fopen(options.record, "wb");
  if (!file || fwrite(rows, sizeof *rows, used, file) != used || fclose(file))
    fail("%s cannot be written", options.record);
}
