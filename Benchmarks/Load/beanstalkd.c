/* beanstalkd: jobs in a tube, results in another one, since it keeps none. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char results[] = "results";

static void hello(Connection *connection) {
  if (options.role != WORK) {
    connection_ready(connection);
    return;
  }
  buffer_format(&connection->out, "use %s\r\n", results);
  connection_send(connection);
}

static void put(Buffer *out, uint64_t delay_seconds, const char *body, size_t count) {
  buffer_format(out, "put 0 %llu 120 %zu\r\n", (unsigned long long)delay_seconds, count);
  buffer_add(out, body, count);
  buffer_add(out, "\r\n", 2);
}

/* Delays are whole seconds; rounded up, so that no job is early. */
static void submit(Connection *connection, size_t jobs) {
  for (size_t i = 0; i < jobs; i++) {
    const char *body = body_next(connection->planned);
    uint64_t time = now(), delay = body_due > time ? (body_due - time + 999999999ull) / 1000000000ull : 0;
    put(&connection->out, delay, body, body_length);
  }
  connection->pending = jobs;
}

static void read_state(Connection *connection) {
  buffer_format(&connection->out, "stats-job %s\r\n", options.key);
  connection->pending = 1;
}

static void take(Connection *connection) { buffer_text(&connection->out, "reserve\r\n"); }

static void store(Connection *connection, const Job *job) {
  put(&connection->out, 0, connection->result, connection->result_length);
  buffer_format(&connection->out, "delete %s\r\n", job->handle);
  connection->pending += 2;
}

static size_t receive(Connection *connection, char *bytes, size_t count) {
  const char *end = memmem(bytes, count, "\r\n", 2);
  if (!end) return 0;
  size_t line = (size_t)(end - bytes) + 2;
  bool reserved = !strncmp(bytes, "RESERVED ", 9);
  if (reserved || !strncmp(bytes, "OK ", 3)) {
    char *after;
    const char *handle = bytes + strlen("RESERVED ");
    if (reserved) strtoull(handle, &after, 10);
    else after = bytes + strlen("OK");
    size_t length = (size_t)(after - handle), body = strtoull(after, NULL, 10);
    if (count < line + body + 2) return 0;
    if (reserved) {
      worker_took(connection, handle, length, bytes + line, body);
      worker_begin(connection);
    } else {
      answered(connection, 1);
    }
    return line + body + 2;
  }
  if (!connection->ready) {
    connection_ready(connection);
    return line;
  }
  if (strncmp(bytes, "INSERTED", 8) && strncmp(bytes, "DELETED", 7)) complain(bytes, line);
  if (options.role == WORK) worker_answered(connection, 1);
  else answered(connection, 1);
  return line;
}

const Protocol beanstalkd_protocol = {
  .name = "beanstalkd", .hello = hello, .receive = receive, .submit = submit, .read = read_state, .take = take,
  .store = store};
