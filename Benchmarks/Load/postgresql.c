/* PostgreSQL's own protocol: prepared statements, everything between two Syncs is one transaction. Which statements
 * submit, take and finish a job is said on the command line. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 196608, POLL_NANOSECONDS = 2000000 };
enum { NEW, GREETED, PREPARED };

/* A message is its kind, its length, and its parts; the length is filled in at the end. */
static size_t begin(Buffer *out, char kind) {
  if (kind) buffer_add(out, &kind, 1);
  size_t at = out->end - out->start;
  buffer_integer(out, 0, 4);
  return at;
}

static void end(Buffer *out, size_t at) {
  size_t length = out->end - out->start - at;
  for (int i = 0; i < 4; i++) out->bytes[out->start + at + (size_t)i] = (char)(length >> (24 - 8 * i));
}

static void terminated(Buffer *out, const char *text) { buffer_add(out, text, strlen(text) + 1); }

static void synchronise(Buffer *out) { end(out, begin(out, 'S')); }

static void prepare(Buffer *out, const char *name, const char *statement) {
  if (!statement) return;
  size_t at = begin(out, 'P');
  terminated(out, name);
  terminated(out, statement);
  buffer_integer(out, 0, 2);
  end(out, at);
}

typedef struct {
  const char *bytes;
  size_t count;
} Value;

static void execute(Buffer *out, const char *name, const Value *values, int count) {
  size_t at = begin(out, 'B');
  terminated(out, "");
  terminated(out, name);
  buffer_integer(out, 0, 2);
  buffer_integer(out, (uint64_t)count, 2);
  for (int i = 0; i < count; i++) {
    buffer_integer(out, values[i].count, 4);
    buffer_add(out, values[i].bytes, values[i].count);
  }
  buffer_integer(out, 0, 2);
  end(out, at);
  at = begin(out, 'E');
  terminated(out, "");
  buffer_integer(out, 0, 4);
  end(out, at);
}

static void hello(Connection *connection) {
  Buffer *out = &connection->out;
  static const char *const facts[] = {"user", "postgres", "database", "postgres"};
  size_t at = begin(out, 0);
  buffer_integer(out, VERSION, 4);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) terminated(out, facts[i]);
  buffer_integer(out, 0, 1);
  end(out, at);
  connection_send(connection);
}

/* The insert itself contains the due time, in microseconds, if it needs it. */
static void submit(Connection *connection, size_t jobs) {
  bool with_due = strstr(options.insert, "$2") != NULL;
  for (size_t i = 0; i < jobs; i++) {
    char due[24];
    Value values[2] = {{body_next(connection->planned), body_length}, {due, 0}};
    values[1].count = (size_t)snprintf(due, sizeof due, "%llu", (unsigned long long)(body_due / 1000));
    execute(&connection->out, "insert", values, with_due ? 2 : 1);
  }
  synchronise(&connection->out);
  connection->pending = 1;
}

static void read_state(Connection *connection) {
  Value key = {options.key, strlen(options.key)};
  execute(&connection->out, "select", &key, 1);
  synchronise(&connection->out);
  connection->pending = 1;
}

static void take(Connection *connection) {
  char most[24];
  Value value = {most, (size_t)snprintf(most, sizeof most, "%zu", options.batch)};
  execute(&connection->out, "select", &value, 1);
  synchronise(&connection->out);
  connection->fetching = true;
}

/* All jobs in hand are finished in one transaction. */
static void store(Connection *connection, const Job *job) {
  Value values[2] = {{job->handle, job->handle_length}, {connection->result, connection->result_length}};
  execute(&connection->out, "finish", values, 2);
  if (job != &connection->in_hand.list[connection->in_hand.count - 1]) return;
  synchronise(&connection->out);
  connection->pending = 1;
}

/* A row of two columns: the number of the job and its body. */
static void took(Connection *connection, const char *row) {
  size_t number = (size_t)integer_at(row + 7, 4);
  const char *body = row + 11 + number;
  worker_took(connection, row + 11, number, body + 4, (size_t)integer_at(body, 4));
}

static void ready_for_query(Connection *connection) {
  if (connection->step == NEW) {
    connection->step = GREETED;
    prepare(&connection->out, "insert", options.insert);
    prepare(&connection->out, "select", options.select);
    prepare(&connection->out, "finish", options.finish);
    synchronise(&connection->out);
    connection_send(connection);
  } else if (connection->step == GREETED) {
    connection->step = PREPARED;
    connection_ready(connection);
  } else if (options.role != WORK) {
    answered(connection, 1);
  } else if (!connection->fetching) {
    worker_answered(connection, 1);
  } else {
    connection->fetching = false;
    if (connection->taken.count) {
      worker_begin(connection);
    } else {
      connection->wake = now() + POLL_NANOSECONDS;
      loop_wake_at(connection->wake);
    }
  }
}

static size_t receive(Connection *connection, char *bytes, size_t count) {
  if (count < 5) return 0;
  size_t length = 1 + (size_t)integer_at(bytes + 1, 4);
  if (count < length) return 0;
  switch (*bytes) {
  case 'E':
    complain(bytes + 5, length - 5);
    if (connection->step != PREPARED) fail("PostgreSQL refused a statement");
    break;
  case 'D':
    if (options.role == WORK) took(connection, bytes);
    break;
  case 'Z':
    ready_for_query(connection);
    break;
  default:
    break;
  }
  return length;
}

const Protocol postgresql_protocol = {
  .name = "postgresql", .hello = hello, .receive = receive, .submit = submit, .read = read_state, .take = take,
  .store = store};
