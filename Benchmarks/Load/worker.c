/* A worker on a peer: takes jobs, may call a URL for each, stores the results, acknowledges, takes more. Each connection
 * works on the jobs that it took last; their calls go out together on a separate connection. */
#include "load.h"
#include <stdlib.h>
#include <string.h>

static const char nothing[] = "{\"ok\":true}";

void worker_ready(Connection *connection) {
  options.protocol->take(connection);
  connection_send(connection);
}

void worker_took(Connection *connection, const char *handle, size_t length, const char *body, size_t count) {
  Jobs *jobs = &connection->taken;
  if (jobs->count == jobs->room) {
    jobs->room = jobs->room ? jobs->room * 2 : 64;
    jobs->list = realloc(jobs->list, jobs->room * sizeof *jobs->list);
    if (!jobs->list) fail("no memory for jobs");
  }
  Job *job = &jobs->list[jobs->count++];
  if (length >= sizeof job->handle) fail("a handle of %zu bytes", length);
  memcpy(job->handle, handle, length);
  job->handle[length] = 0;
  job->handle_length = length;
  job->number = number_after(body, count, "\"n\":\"");
  job->submitted = number_after(body, count, "\"t\":\"");
  job->due = number_after(body, count, "\"due\":\"");
  if (job->due) histogram_add(&tally.late, (int64_t)now() - (int64_t)job->due);
  tally.begun++;
}

static void store(Connection *connection) {
  connection->pending = 0;
  for (size_t i = 0; i < connection->in_hand.count; i++)
    options.protocol->store(connection, &connection->in_hand.list[i]);
  connection_send(connection);
}

void worker_begin(Connection *connection) {
  if (connection->in_hand.count || !connection->taken.count) return;
  Jobs spare = connection->in_hand;
  connection->in_hand = connection->taken;
  connection->taken = spare;
  connection->called = 0;
  if (!connection->companion) {
    connection->result_length = strlen(nothing);
    memcpy(connection->result, nothing, connection->result_length);
    store(connection);
    return;
  }
  for (size_t i = 0; i < connection->in_hand.count; i++) http_get(connection->companion, options.target_path, "");
  connection_send(connection->companion);
}

void worker_called(Connection *worker, const char *body, size_t count) {
  worker->result_length = count < sizeof worker->result ? count : sizeof worker->result;
  memcpy(worker->result, body, worker->result_length);
  if (++worker->called == worker->in_hand.count) store(worker);
}

void worker_answered(Connection *connection, size_t answers) {
  connection->pending -= answers < connection->pending ? answers : connection->pending;
  if (connection->pending || !connection->in_hand.count) return;
  if (options.protocol->acknowledge) options.protocol->acknowledge(connection);
  uint64_t time = now();
  for (size_t i = 0; i < connection->in_hand.count; i++) {
    uint64_t submitted = connection->in_hand.list[i].submitted;
    histogram_add(&tally.latency, (int64_t)(time - submitted));
    if (!tally.first || submitted < tally.first) tally.first = submitted;
  }
  tally.done += connection->in_hand.count;
  tally.last = time;
  connection->in_hand.count = 0;
  if (options.count && tally.done >= options.count) stopping = true;
  else options.protocol->take(connection);
  connection_send(connection);
  worker_begin(connection);
}
