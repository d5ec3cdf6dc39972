/* usage: watch FILE THREAD...     until SIGTERM, then writes FILE and prints whether it had real-time priority
 *
 * A thread on each processor sleeps until the next millisecond and notes how late it was: at real-time priority that is
 * the time for which the processor ran nothing at all. Once a millisecond one of them, in turn, reads how long each
 * given thread has run, and how long it has waited for a processor (/proc/THREAD/schedstat). A row of FILE: processor,
 * when it was to wake, when it woke, then two times for each thread, all in nanoseconds; -1 where they were not read. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STEP = 1000000, NOTED_LATENESS = 200000, FIRST_ROOM = 1 << 16, HEAD = 3 };
enum { PROCESSORS_MAX = 256, THREADS_MAX = 64 };

typedef struct {
  pthread_t thread;
  int processor, place;
  int64_t *numbers;
  size_t used, room;
} Watcher;

static int files[THREADS_MAX], thread_count, watcher_count;
static Watcher watchers[PROCESSORS_MAX];
static volatile sig_atomic_t is_over;

static void fail(const char *text) {
  fprintf(stderr, "watch: %s\n", text);
  exit(1);
}

static void stop(int signal) {
  (void)signal;
  is_over = 1;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t *row(Watcher *watcher) {
  size_t columns = HEAD + 2 * (size_t)thread_count;
  if (watcher->used + columns > watcher->room) {
    watcher->room = watcher->room ? watcher->room * 2 : FIRST_ROOM;
    watcher->numbers = realloc(watcher->numbers, watcher->room * sizeof *watcher->numbers);
    if (!watcher->numbers) fail("no memory for the rows");
  }
  int64_t *next = watcher->numbers + watcher->used;
  watcher->used += columns;
  return next;
}

static void read_times(int64_t *times) {
  for (int i = 0; i < thread_count; i++) {
    char text[96], *rest;
    ssize_t got = pread(files[i], text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    times[2 * i] = got > 0 ? strtoll(text, &rest, 10) : -1;
    times[2 * i + 1] = got > 0 ? strtoll(rest, NULL, 10) : -1;
  }
}

static void *watch(void *given) {
  Watcher *watcher = given;
  for (int64_t at = (now() / STEP + 1) * STEP; !is_over;) {
    struct timespec time = {at / 1000000000, at % 1000000000};
    while (!is_over && clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL)) {}
    int64_t woke = now();
    bool reads = at / STEP % watcher_count == watcher->place;
    if (reads || woke - at > NOTED_LATENESS) {
      int64_t *numbers = row(watcher);
      numbers[0] = watcher->processor;
      numbers[1] = at;
      numbers[2] = woke;
      for (int i = 0; i < 2 * thread_count; i++) numbers[HEAD + i] = -1;
      if (reads) read_times(numbers + HEAD);
    }
    at = (woke / STEP + 1) * STEP;
  }
  return NULL;
}

static bool begin(Watcher *watcher) {
  pthread_attr_t attributes;
  cpu_set_t set;
  struct sched_param priority = {.sched_priority = 1};
  pthread_attr_init(&attributes);
  CPU_ZERO(&set);
  CPU_SET(watcher->processor, &set);
  pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &priority);
  if (!pthread_create(&watcher->thread, &attributes, watch, watcher)) return true;
  pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED);
  if (pthread_create(&watcher->thread, &attributes, watch, watcher)) fail("a thread cannot be started");
  return false;
}

int main(int count, char **words) {
  if (count < 3 || count - 2 > THREADS_MAX) fail("usage: watch FILE THREAD...");
  for (int i = 2; i < count; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/schedstat", words[i]);
    if ((files[thread_count++] = open(path, O_RDONLY)) < 0) fail("a thread does not exist");
  }
  signal(SIGTERM, stop);
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all)) fail("the processors are not known");
  for (int i = 0; i < CPU_SETSIZE && watcher_count < PROCESSORS_MAX; i++)
    if (CPU_ISSET(i, &all)) {
      watchers[watcher_count].place = watcher_count;
      watchers[watcher_count++].processor = i;
    }
  bool has_priority = true;
  for (int i = 0; i < watcher_count; i++) has_priority = begin(&watchers[i]) && has_priority;
  FILE *file = fopen(words[1], "wb");
  if (!file) fail("the file cannot be written");
  for (int i = 0; i < watcher_count; i++) {
    Watcher *watcher = &watchers[i];
    pthread_join(watcher->thread, NULL);
    size_t written = fwrite(watcher->numbers, sizeof(int64_t), watcher->used, file);
    if (written != watcher->used) fail("the file cannot be written");
  }
  if (fclose(file)) fail("the file cannot be written");
  printf("{\"realtime\":%s}\n", has_priority ? "true" : "false");
  return 0;
}
