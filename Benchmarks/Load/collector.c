/* Submits jobs to our server, which has `--already` succeeded jobs at the start and no others, waits until all have their results stored, then reads every one. Three times are taken:
 * when the last submission was answered, when the server counted the last job as done, and when the last was read. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { SUBMITTING, STORING, READING, FINISHED } Phase;
enum { ASK_AGAIN_NANOSECONDS = 5000000 };
static const char id_key[] = "\"id\":\"job_", done_mark[] = "\"done\":true", count_key[] = "jobserver_jobs{state=\"succeeded\"} ";

static Phase phase;
static char (*ids)[64];
static uint64_t id_count, next_read;
static uint64_t submitted_at, stored_at;
static Histogram acknowledged;

static void submit(Connection *connection) {
  size_t jobs = options.batch;
  if (options.count - tally.begun < jobs) jobs = (size_t)(options.count - tally.begun);
  connection->planned = now();
  connection->idle = false;
  tally.begun += jobs;
  options.protocol->submit(connection, jobs);
  connection_send(connection);
}

static void keep_ids(const char *body, size_t count) {
  const char *end = body + count, *at = body;
  while ((at = memmem(at, (size_t)(end - at), id_key, sizeof id_key - 1))) {
    at += strlen("\"id\":\"");
    const char *quote = memchr(at, '"', (size_t)(end - at));
    if (!quote || (size_t)(quote - at) >= sizeof *ids || id_count == options.count) return;
    memcpy(ids[id_count++], at, (size_t)(quote - at));
  }
}

static void ask_count(void) {
  http_get(&connections[0], "/metrics", "");
  connection_send(&connections[0]);
}

static void read_next(Connection *connection) {
  if (next_read == id_count) {
    connection->idle = true;
    return;
  }
  snprintf(connection->id, sizeof connection->id, "%s", ids[next_read++]);
  connection->idle = false;
  http_get(connection, "/v1/jobs/", connection->id);
  connection_send(connection);
}

static void submission_answered(Connection *connection, const char *body, size_t count) {
  histogram_add(&acknowledged, (int64_t)(now() - connection->planned));
  keep_ids(body, count);
  connection->idle = true;
  if (tally.begun < options.count) {
    submit(connection);
    return;
  }
  for (int i = 0; i < options.connections; i++)
    if (!connections[i].idle) return;
  submitted_at = now();
  phase = STORING;
  ask_count();
}

static void counted(uint64_t succeeded) {
  static uint64_t latest;
  if (succeeded < options.already + id_count) {
    if (succeeded > latest) tally.begun++; /* something moved */
    latest = succeeded;
    loop_wake_at(now() + ASK_AGAIN_NANOSECONDS);
    return;
  }
  stored_at = now();
  phase = READING;
  for (int i = 0; i < options.connections; i++) read_next(&connections[i]);
}

void collector_answered(Connection *connection, const char *body, size_t count) {
  if (!started) return;
  switch (phase) {
  case SUBMITTING:
    submission_answered(connection, body, count);
    break;
  case STORING:
    counted(number_after(body, count, count_key));
    break;
  case READING:
    if (memmem(body, count, done_mark, sizeof done_mark - 1)) tally.done++;
    else complain(body, count);
    tally.last = now();
    read_next(connection);
    if (tally.done + tally.errors >= id_count) phase = FINISHED;
    break;
  case FINISHED:
    break;
  }
}

void collector_start(void) {
  ids = calloc((size_t)options.count, sizeof *ids);
  tally.first = started;
  for (int i = 0; i < options.connections; i++) {
    connections[i].idle = true;
    if (tally.begun < options.count) submit(&connections[i]);
  }
}

void collector_tick(void) {
  if (phase == STORING) ask_count();
}

bool collector_is_done(void) { return phase == FINISHED; }

static double rate(uint64_t until) {
  return until > started ? (double)id_count / ((double)(until - started) / 1e9) : 0;
}

void collector_print(void) {
  printf("\"submitted_per_s\":%.1f,\"stored_per_s\":%.1f,\"read_per_s\":%.1f,\"submit_p50_ms\":%.3f,\"submit_p99_ms\":%.3f,",
         rate(submitted_at), rate(stored_at), rate(tally.last), histogram_milliseconds(&acknowledged, .5),
         histogram_milliseconds(&acknowledged, .99));
}
