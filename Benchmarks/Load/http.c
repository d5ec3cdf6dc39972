#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  int status;
  const char *body;
  size_t count;
} Answer;

/* The value of a field of the head that ends at `end`, or nothing. */
static const char *field(const char *head, const char *end, const char *name) {
  size_t length = strlen(name);
  for (const char *line = head; line && line + length < end; line = memchr(line, '\n', (size_t)(end - line))) {
    if (*line == '\n') line++;
    if ((*line | 0x20) == *name && !strncasecmp(line, name, length)) return line + length;
  }
  return NULL;
}

/* The length of the answer at the start of these bytes, 0 when some of it is missing. */
static size_t parse(const char *bytes, size_t count, Answer *answer) {
  const char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t head = (size_t)(end - bytes) + 4;
  answer->status = atoi(bytes + 9);
  answer->body = bytes + head;
  if (field(bytes, end, "transfer-encoding:")) {
    const char *last = memmem(bytes + head, count - head, "0\r\n\r\n", 5);
    if (!last) return 0;
    answer->count = (size_t)(last - answer->body);
    return (size_t)(last + 5 - bytes);
  }
  const char *length = field(bytes, end, "content-length:");
  answer->count = length ? strtoull(length, NULL, 10) : 0;
  return count < head + answer->count ? 0 : head + answer->count;
}

static uint64_t nanoseconds_after(const char *bytes, size_t count, const char *key) {
  const char *found = memmem(bytes, count, key, strlen(key));
  return found ? (uint64_t)(strtod(found + strlen(key), NULL) * 1e6) : 0;
}

/* Notes the job, and what the server says of its own time (`Server-Timing: durable;dur=0.412, total;dur=0.430`). */
static void note(Connection *connection, const char *head, const Answer *answer) {
  static const char id_key[] = "\"id\":\"";
  const char *times = field(head, answer->body, "server-timing:");
  const char *id = memmem(answer->body, answer->count, id_key, sizeof id_key - 1);
  if (id) id += sizeof id_key - 1;
  size_t left = times ? (size_t)(answer->body - times) : 0;
  connection->durable = times ? nanoseconds_after(times, left, "durable;dur=") : 0;
  connection->total = times ? nanoseconds_after(times, left, "total;dur=") : 0;
  const char *end = id ? memchr(id, '"', answer->count - (size_t)(id - answer->body)) : NULL;
  snprintf(connection->id, sizeof connection->id, "%.*s", end ? (int)(end - id) : 0, end ? id : "");
}

size_t http_receive(Connection *connection, char *bytes, size_t count) {
  Answer answer;
  size_t eaten = parse(bytes, count, &answer);
  if (!eaten) return 0;
  if (options.record && options.role == SUBMIT) note(connection, bytes, &answer);
  if (options.refusals && (answer.status == 429 || answer.status == 503)) connection->refused = true;
  else if (answer.status < 200 || answer.status > 299) complain(bytes, eaten);
  else if (options.expect && options.role != COLLECT &&
           !memmem(answer.body, answer.count, options.expect, strlen(options.expect)))
    complain(answer.body, answer.count);
  if (connection->side == AT_TARGET) worker_called(connection->companion, answer.body, answer.count);
  else if (options.role == COLLECT) collector_answered(connection, answer.body, answer.count);
  else answered(connection, 1);
  return eaten;
}

void http_get(Connection *connection, const char *path, const char *id) {
  buffer_text(&connection->out, "GET ");
  buffer_text(&connection->out, path);
  buffer_text(&connection->out, id);
  buffer_text(&connection->out, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

/* Several jobs are sent as one array. */
static void submit(Connection *connection, size_t jobs) {
  static char head[512];
  static size_t head_length, head_jobs;
  bool list = options.batch > 1;
  Buffer *out = &connection->out;
  if (head_jobs != jobs) {
    size_t length = jobs * body_length + (list ? jobs + 1 : 0);
    head_jobs = jobs;
    head_length = (size_t)snprintf(head, sizeof head,
      "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s%sContent-Length: %zu\r\n\r\n",
      options.path, options.header ? options.header : "", options.header ? "\r\n" : "", length);
  }
  buffer_reserve(out, head_length + jobs * (body_length + 1) + 1);
  buffer_add(out, head, head_length);
  if (list) buffer_add(out, "[", 1);
  for (size_t i = 0; i < jobs; i++) {
    if (i) buffer_add(out, ",", 1);
    buffer_add(out, body_next(connection->planned), body_length);
  }
  if (list) buffer_add(out, "]", 1);
  connection->pending = 1;
}

static void ask(Connection *connection) {
  http_get(connection, options.path, "");
  connection->pending = 1;
}

const Protocol http_protocol = {
  .name = "http", .hello = connection_ready, .receive = http_receive, .submit = submit, .read = ask};
