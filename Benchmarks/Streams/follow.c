/* usage: follow PORT STREAMS RECONNECT QUERY     reads event streams until its standard input ends; prints one line of JSON
 *
 * Opens STREAMS streams of /v1/events?QUERY and counts, for each, the jobs that ended, with the sum of the hashes of their ids:
 * streams with the same count and sum saw the same jobs. Of ten streams one disconnects after every RECONNECT bytes and
 * goes on with the id of the last event that it has read whole. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1 << 17, ID = 64 };

typedef struct {
  int socket;
  char buffer[BUFFER];
  size_t length, received;
  char last[ID];
  uint64_t ended, sum, resets, reconnects, bytes;
} Stream;

static int port, epoll;
static size_t reconnect_every;
static const char *query;

static void die(const char *what) {
  fprintf(stderr, "follow: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t hash(const char *text, size_t length) {
  uint64_t value = 1469598103934665603u;
  for (size_t i = 0; i < length; i++) value = (value ^ (unsigned char)text[i]) * 1099511628211u;
  return value;
}

static void connect_stream(Stream *stream) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  stream->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (stream->socket < 0 || connect(stream->socket, (struct sockaddr *)&address, sizeof address)) die("connect");
  char request[512];
  int length = snprintf(request, sizeof request,
    "GET /v1/events?%s HTTP/1.0\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n%s%s%s\r\n",
    query, *stream->last ? "Last-Event-ID: " : "", stream->last, *stream->last ? "\r\n" : "");
  if (write(stream->socket, request, (size_t)length) != length) die("write");
  fcntl(stream->socket, F_SETFL, O_NONBLOCK);
  stream->length = stream->received = 0;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, stream->socket, &event)) die("epoll");
}

/* Reads one event, the text between two empty lines. */
static void take(Stream *stream, const char *text, size_t length) {
  const char *id = memmem(text, length, "id: ", 4);
  if (!id) return;
  id += 4;
  size_t count = (size_t)((const char *)memchr(id, '\n', (size_t)(text + length - id)) - id);
  if (count < ID) {
    memcpy(stream->last, id, count);
    stream->last[count] = 0;
  }
  if (memmem(text, length, "event: reset", 12)) stream->resets++;
  const char *job = memmem(text, length, "{\"id\":\"", 7);
  if (job && memmem(text, length, "\"done\":true", 11)) {
    stream->ended++;
    stream->sum += hash(job + 7, 30);
  }
}

static void read_stream(Stream *stream) {
  ssize_t count = read(stream->socket, stream->buffer + stream->length, BUFFER - stream->length);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    fprintf(stderr, "follow: a stream was closed\n");
    close(stream->socket);
    stream->reconnects++;
    connect_stream(stream);
    return;
  }
  stream->length += (size_t)count;
  stream->received += (size_t)count;
  stream->bytes += (size_t)count;
  char *start = stream->buffer, *end;
  while ((end = memmem(start, (size_t)(stream->buffer + stream->length - start), "\n\n", 2))) {
    *end = '\n';
    take(stream, start, (size_t)(end + 1 - start));
    start = end + 2;
  }
  stream->length = (size_t)(stream->buffer + stream->length - start);
  memmove(stream->buffer, start, stream->length);
  if (stream->length == BUFFER) die("an event is too long");
  if (reconnect_every && stream->received > reconnect_every) {
    close(stream->socket);
    stream->reconnects++;
    connect_stream(stream);
  }
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: follow PORT STREAMS RECONNECT QUERY");
  port = atoi(argv[1]);
  query = argv[4];
  size_t count = (size_t)atoi(argv[2]), every = (size_t)atol(argv[3]);
  epoll = epoll_create1(0);
  Stream *streams = calloc(count, sizeof *streams);
  for (size_t i = 0; i < count; i++) connect_stream(&streams[i]);
  struct epoll_event stop = {.events = EPOLLIN};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &stop)) die("epoll");
  bool stopping = false;
  while (!stopping) {
    struct epoll_event events[64];
    int ready = epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      Stream *stream = events[i].data.ptr;
      if (!stream) stopping = true;
      else {
        reconnect_every = (size_t)(stream - streams) % 10 == 0 ? every : 0;
        read_stream(stream);
      }
    }
  }
  uint64_t resets = 0, reconnects = 0, bytes = 0, differing = 0;
  for (size_t i = 0; i < count; i++) {
    resets += streams[i].resets;
    reconnects += streams[i].reconnects;
    bytes += streams[i].bytes;
    if (streams[i].ended != streams[0].ended || streams[i].sum != streams[0].sum) differing++;
  }
  printf("{\"ended\":%lu,\"sum\":\"%016lx\",\"differing\":%lu,\"resets\":%lu,\"reconnects\":%lu,\"megabytes\":%lu}\n",
    streams[0].ended, streams[0].sum, differing, resets, reconnects, bytes >> 20);
}
