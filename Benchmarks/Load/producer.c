/* Submits jobs or reads states. In turn: each connection sends the next request when the last one is answered. At a rate:
 * requests are planned evenly over time and their latency counts from the plan, also when no connection was free. */
#include "load.h"
#include <stdio.h>
#include <string.h>

static uint64_t ends, next_plan, next_report;
static Histogram stretch; /* latencies since the last report */
/* Connections without a request, first come first served, so that none is left alone until the server closes it. */
enum { IDLE_MAX = 65536 };
static Connection *idle_ring[IDLE_MAX];
static size_t idle_first, idle_count;

bool may_begin(void) {
  if (stopping || (options.count && tally.begun >= options.count)) return false;
  return options.seconds <= 0 || now() < ends;
}

static void begin(Connection *connection, uint64_t planned) {
  size_t jobs = options.batch;
  if (options.count && options.count - tally.begun < jobs) jobs = (size_t)(options.count - tally.begun);
  connection->planned = planned;
  connection->sent = now();
  connection->refused = false;
  connection->idle = false;
  connection->asked = jobs;
  connection->pending = 0;
  tally.begun += jobs;
  if (options.role == READ) options.protocol->read(connection);
  else options.protocol->submit(connection, jobs);
  connection_send(connection);
}

static void rest(Connection *connection) {
  connection->idle = true;
  idle_ring[(idle_first + idle_count++) % IDLE_MAX] = connection;
}

static Connection *longest_idle(void) {
  Connection *connection = idle_ring[idle_first];
  idle_first = (idle_first + 1) % IDLE_MAX;
  idle_count--;
  return connection;
}

/* Sends what was planned until now. */
static void send_planned(void) {
  uint64_t time = now(), step = (uint64_t)(1e9 / options.rate * (double)options.batch);
  while (next_plan <= time && idle_count && may_begin()) {
    begin(longest_idle(), next_plan);
    next_plan += step;
  }
  if (may_begin() && next_plan > time) loop_wake_at(next_plan);
}

/* A line for each stretch of time, so that a drift can be seen. */
static void report(uint64_t time) {
  static uint64_t done_before;
  if (!next_report || time < next_report) return;
  printf("{\"second\":%.0f,\"done\":%llu,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"max_ms\":%.3f,\"errors\":%llu}\n",
         (double)(time - started) / 1e9, (unsigned long long)(tally.done - done_before),
         histogram_milliseconds(&stretch, .5), histogram_milliseconds(&stretch, .99),
         histogram_milliseconds(&stretch, .999), (double)stretch.most / 1e6,
         (unsigned long long)tally.errors);
  done_before = tally.done;
  histogram_clear(&stretch);
  next_report += (uint64_t)(options.report_every * 1e9);
}

void answered(Connection *connection, size_t answers) {
  connection->pending -= answers < connection->pending ? answers : connection->pending;
  if (connection->pending) return;
  uint64_t time = now();
  tally.last = time;
  if (connection->refused) {
    tally.refused += connection->asked;
    histogram_add(&tally.refusals, (int64_t)(connection->arrived - connection->sent));
    histogram_add(&tally.refusals_read, (int64_t)(time - connection->sent));
  } else {
    tally.done += connection->asked;
    histogram_add(&tally.latency, (int64_t)(time - connection->planned));
    if (next_report) histogram_add(&stretch, (int64_t)(time - connection->planned));
  }
  report(time);
  if (options.rate > 0) {
    rest(connection);
    if (next_plan <= time) send_planned();
  } else if (may_begin()) {
    begin(connection, time);
  } else {
    connection->idle = true;
  }
}

void producer_start(void) {
  tally.first = next_plan = started;
  ends = started + (uint64_t)(options.seconds * 1e9);
  if (options.report_every > 0) next_report = started + (uint64_t)(options.report_every * 1e9);
  for (int i = 0; i < options.connections; i++) {
    if (options.rate > 0) rest(&connections[i]);
    else if (may_begin()) begin(&connections[i], now());
  }
  if (options.rate > 0) send_planned();
}

void producer_tick(void) {
  if (options.rate > 0 && started) send_planned();
}

bool producer_is_done(void) {
  if (may_begin()) return false;
  for (int i = 0; i < options.connections; i++)
    if (!connections[i].idle) return false;
  return true;
}
