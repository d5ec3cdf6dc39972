/* How often this disk can flush: 4 KiB written and fdatasync, one after the other.
 *
 * usage: fsync FILE SECONDS append|overwrite      prints the rate for one second
 *
 * `append` lets the file grow, `overwrite` goes over blocks that were written before, as a log does that is used again. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 1024 };

static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  static char block[BLOCK];
  if (count != 4) return 2;
  int overwrite = !strcmp(words[3], "overwrite"), file = open(words[1], O_CREAT | O_RDWR | O_TRUNC, 0644);
  for (int i = 0; overwrite && i < BLOCKS; i++)
    if (write(file, block, BLOCK) != BLOCK) return 1;
  if (file < 0 || fsync(file)) return 1;
  double begin = seconds_now(), end = begin + atof(words[2]), time = begin;
  long done = 0;
  for (; time < end; done++, time = seconds_now()) {
    off_t at = (off_t)(overwrite ? done % BLOCKS : done) * BLOCK;
    if (pwrite(file, block, BLOCK, at) != BLOCK || fdatasync(file)) return 1;
  }
  printf("%.0f\n", (double)done / (time - begin));
  unlink(words[1]);
  return 0;
}
