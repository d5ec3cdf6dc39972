/* The HTTP server called by the jobs: the target of each call contains its due time (`due=` in nanoseconds), or with
 * --record the number of the job (`n=`). */
#include "load.h"
#include <string.h>
#include <strings.h>
#include <stdlib.h>

static const char answer[] =
  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";

static size_t content_length(const char *bytes, const char *end) {
  for (const char *line = bytes; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
    if (*line == '\n') line++;
    if (!strncasecmp(line, "content-length:", 15)) return strtoull(line + 15, NULL, 10);
  }
  return 0;
}

size_t sink_receive(Connection *connection, char *bytes, size_t count) {
  const char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t length = (size_t)(end - bytes) + 4 + content_length(bytes, end);
  if (count < length) return 0;
  uint64_t time = now(), due = number_after(bytes, (size_t)(end - bytes), "due=");
  if (due) histogram_add(&tally.late, (int64_t)time - (int64_t)due);
  if (!tally.first) tally.first = time;
  tally.last = time;
  tally.done++;
  buffer_add(&connection->out, answer, sizeof answer - 1);
  connection_send(connection);
  if (options.record)
    record_add(&(Row){.number = number_after(bytes, (size_t)(end - bytes), "?n="), .arrived = connection->arrived,
                      .sent = now()});
  if (options.count && tally.done >= options.count) stopping = true;
  return length;
}
