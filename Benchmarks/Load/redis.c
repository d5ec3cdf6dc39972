/* Redis: jobs in a stream with a consumer group, delayed ones in a sorted set; results as keys for an hour. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of one reply, 0 when some of it is missing. */
static size_t reply_length(const char *bytes, size_t count) {
  const char *end = memmem(bytes, count, "\r\n", 2);
  if (!end) return 0;
  size_t length = (size_t)(end - bytes) + 2;
  long value = atol(bytes + 1);
  if (*bytes == '$') {
    if (value >= 0) length += (size_t)value + 2;
    return count >= length ? length : 0;
  }
  for (long i = 0; *bytes == '*' && i < value; i++) {
    size_t part = reply_length(bytes + length, count - length);
    if (!part) return 0;
    length += part;
  }
  return length;
}

static void word(Buffer *out, const char *bytes, size_t count) {
  char head[24];
  int length = snprintf(head, sizeof head, "$%zu\r\n", count);
  buffer_add(out, head, (size_t)length);
  buffer_add(out, bytes, count);
  buffer_add(out, "\r\n", 2);
}

static void text(Buffer *out, const char *value) { word(out, value, strlen(value)); }

static void command(Buffer *out, int words, const char *name) {
  buffer_format(out, "*%d\r\n", words);
  text(out, name);
}

static void submit(Connection *connection, size_t jobs) {
  Buffer *out = &connection->out;
  for (size_t i = 0; i < jobs; i++) {
    const char *body = body_next(connection->planned);
    if (body_due) {
      char due[24];
      snprintf(due, sizeof due, "%llu", (unsigned long long)(body_due / 1000));
      command(out, 4, "ZADD");
      text(out, "delayed");
      text(out, due);
    } else {
      command(out, 5, "XADD");
      text(out, options.queue);
      text(out, "*");
      text(out, "d");
    }
    word(out, body, body_length);
  }
  connection->pending = jobs;
}

static void get(Connection *connection) {
  command(&connection->out, 2, "GET");
  text(&connection->out, options.key);
  connection->pending = 1;
}

static void take(Connection *connection) {
  Buffer *out = &connection->out;
  char most[24], name[40];
  snprintf(most, sizeof most, "%zu", options.batch);
  snprintf(name, sizeof name, "worker-%d-%d", getpid(), connection->index);
  const char *words[] = {"GROUP", "workers", name, "COUNT", most, "BLOCK", "0", "STREAMS", options.queue, ">"};
  command(out, 11, "XREADGROUP");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) text(out, words[i]);
  connection->fetching = true;
}

static void store(Connection *connection, const Job *job) {
  Buffer *out = &connection->out;
  char key[32];
  snprintf(key, sizeof key, "result:%llu", (unsigned long long)job->number);
  command(out, 5, "SET");
  text(out, key);
  word(out, connection->result, connection->result_length);
  text(out, "EX");
  text(out, "3600");
  command(out, 4, "XACK");
  text(out, options.queue);
  text(out, "workers");
  word(out, job->handle, job->handle_length);
  command(out, 3, "XDEL");
  text(out, options.queue);
  word(out, job->handle, job->handle_length);
  connection->pending += 3;
}

/* Skips the head of a list, or a text, whose bytes it returns. */
static const char *step(const char **at, size_t *count) {
  long value = atol(*at + 1);
  const char *bytes = strstr(*at, "\r\n") + 2;
  *count = value < 0 ? 0 : (size_t)value;
  *at = **at == '$' ? bytes + *count + 2 : bytes;
  return bytes;
}

/* [[stream, [[id, [field, body]], ...]]] */
static void took(Connection *connection, const char *at) {
  size_t jobs, count, length;
  step(&at, &count);
  step(&at, &count);
  step(&at, &count);
  step(&at, &jobs);
  for (size_t i = 0; i < jobs; i++) {
    step(&at, &count);
    const char *handle = step(&at, &length);
    step(&at, &count);
    step(&at, &count);
    const char *body = step(&at, &count);
    worker_took(connection, handle, length, body, count);
  }
  worker_begin(connection);
}

static size_t receive(Connection *connection, char *bytes, size_t count) {
  size_t length = reply_length(bytes, count);
  if (!length) return 0;
  if (*bytes == '-') complain(bytes, length);
  if (options.role != WORK) {
    answered(connection, 1);
  } else if (connection->fetching) {
    connection->fetching = false;
    if (*bytes == '*') took(connection, bytes);
    else if (*bytes == '-') stopping = true; /* such as LOADING: the caller tries again */
    else options.protocol->take(connection);
  } else {
    worker_answered(connection, 1);
  }
  return length;
}

const Protocol redis_protocol = {
  .name = "redis", .hello = connection_ready, .receive = receive, .submit = submit, .read = get, .take = take,
  .store = store};
