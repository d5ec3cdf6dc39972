/* Submits jobs or reads states. In turn: each connection sends the next request when the last one is answered. At a rate:
 * requests are planned evenly over time and their latency counts from the plan, also when no connection was free. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t ends, next_plan, next_report;
static Histogram stretch; /* latencies since the last report */
/* Connections with room for a request, once for each, first come first served, so that none is left alone until the
 * server closes it. */
static Connection **idle_ring;
static size_t idle_room, idle_first, idle_count;

bool may_begin(void) {
  if (stopping || (options.count && tally.begun >= options.count)) return false;
  return options.seconds <= 0 || now() < ends;
}

/* Appends a request to the connection's output. */
static void begin(Connection *connection, uint64_t planned) {
  size_t jobs = options.batch, place = (connection->first + connection->open) % (size_t)options.pipeline;
  connection->open++;
  if (options.count && options.count - tally.begun < jobs) jobs = (size_t)(options.count - tally.begun);
  connection->planned = planned;
  connection->pending = 0;
  tally.begun += jobs;
  if (options.role == READ) options.protocol->read(connection);
  else options.protocol->submit(connection, jobs);
  connection->requests[place] = (Request){jobs, connection->pending, planned, now(), body_number};
}

static void rest(Connection *connection) {
  idle_ring[(idle_first + idle_count++) % idle_room] = connection;
}

static Connection *longest_idle(void) {
  Connection *connection = idle_ring[idle_first];
  idle_first = (idle_first + 1) % idle_room;
  idle_count--;
  return connection;
}

/* Sends the requests that are due; consecutive ones on one connection together. */
static void send_planned(void) {
  uint64_t time = now(), step = (uint64_t)(1e9 / options.rate * (double)options.batch);
  Connection *latest = NULL;
  while (next_plan <= time && idle_count && may_begin()) {
    Connection *next = longest_idle();
    if (latest && latest != next) connection_send(latest);
    latest = next;
    begin(latest, next_plan);
    next_plan += step;
  }
  if (latest) connection_send(latest);
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

static void record(const Connection *connection, const Request *request) {
  Row row = {request->number, request->planned, request->sent, connection->arrived, connection->durable,
             connection->total, ""};
  snprintf(row.id, sizeof row.id, "%.31s", connection->id);
  record_add(&row);
}

void answered(Connection *connection, size_t answers) {
  if (!connection->open) {
    complain("an answer to nothing", strlen("an answer to nothing"));
    return;
  }
  Request *request = &connection->requests[connection->first];
  request->answers -= answers < request->answers ? answers : request->answers;
  if (request->answers) return;
  connection->first = (connection->first + 1) % (size_t)options.pipeline;
  connection->open--;
  uint64_t time = now();
  tally.last = time;
  if (connection->refused) {
    tally.refused += request->jobs;
    histogram_add(&tally.refusals, (int64_t)(connection->arrived - request->sent));
    histogram_add(&tally.refusals_read, (int64_t)(time - request->sent));
  } else {
    tally.done += request->jobs;
    histogram_add(&tally.latency, (int64_t)(time - request->planned));
    if (next_report) histogram_add(&stretch, (int64_t)(time - request->planned));
    if (options.record) record(connection, request);
  }
  connection->refused = false;
  report(time);
  if (options.rate > 0) {
    rest(connection);
    /* With ticks, the next one sends. */
    if (next_plan <= time && !options.tick_milliseconds) send_planned();
  } else if (may_begin()) {
    begin(connection, time);
    connection_send(connection);
  }
}

void producer_start(void) {
  tally.first = next_plan = started;
  ends = started + (uint64_t)(options.seconds * 1e9);
  if (options.report_every > 0) next_report = started + (uint64_t)(options.report_every * 1e9);
  idle_room = (size_t)options.connections * (size_t)options.pipeline;
  idle_ring = calloc(idle_room, sizeof *idle_ring);
  Request *requests = calloc(idle_room, sizeof *requests);
  if (!idle_ring || !requests) fail("no memory for the requests");
  for (int i = 0; i < options.connections; i++) {
    connections[i].requests = requests + (size_t)i * (size_t)options.pipeline;
    for (int lane = 0; lane < options.pipeline; lane++) {
      if (options.rate > 0) rest(&connections[i]);
      else if (may_begin()) begin(&connections[i], now());
    }
    connection_send(&connections[i]);
  }
  if (options.rate > 0) send_planned();
}

void producer_tick(void) {
  if (options.rate > 0 && started) send_planned();
}

bool producer_is_done(void) {
  if (may_begin()) return false;
  for (int i = 0; i < options.connections; i++)
    if (connections[i].open) return false;
  return true;
}
