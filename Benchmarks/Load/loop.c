#include "load.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 65536, EVENTS_MAX = 256, IDLE_MILLISECONDS = 100 };

Connection *connections;
uint64_t started;
static int epoll = -1, timer = -1, listener = -1;
static uint64_t alarm_at;
static Connection timer_mark, listener_mark;
static size_t used;

static uint64_t nanoseconds(struct timespec time) {
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

static void watch(int descriptor, Connection *connection, uint32_t events, int change) {
  /* Edge-triggered: each event is read to its end, so that the kernel need not check it again. */
  struct epoll_event event = {.events = events | EPOLLET, .data.ptr = connection};
  if (epoll_ctl(epoll, change, descriptor, &event)) fail("epoll: %s", strerror(errno));
}

static void prepare(Connection *connection, int descriptor, Side side) {
  int on = 1;
  connection->descriptor = descriptor;
  connection->side = side;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (options.refusals || options.record) setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  watch(descriptor, connection, EPOLLIN | EPOLLRDHUP, EPOLL_CTL_ADD);
}

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

Connection *connection_open(int port, Side side) {
  Connection *connection = &connections[used];
  struct sockaddr_in address = loopback(port);
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(descriptor, (void *)&address, sizeof address)) fail("connect to port %d: %s", port, strerror(errno));
  connection->index = (int)used++;
  prepare(connection, descriptor, side);
  return connection;
}

void connection_send(Connection *connection) {
  Buffer *out = &connection->out;
  bool blocked = false;
  while (out->start < out->end && !blocked) {
    ssize_t sent = send(connection->descriptor, out->bytes + out->start, out->end - out->start, MSG_NOSIGNAL);
    if (sent >= 0) out->start += (size_t)sent;
    else if (errno == EAGAIN) blocked = true;
    else if (errno != EINTR) fail("send: %s", strerror(errno));
  }
  if (blocked != connection->wants_to_write)
    watch(connection->descriptor, connection, EPOLLIN | EPOLLRDHUP | (blocked ? EPOLLOUT : 0), EPOLL_CTL_MOD);
  connection->wants_to_write = blocked;
}

void sink_listen(void) {
  int on = 1;
  struct sockaddr_in address = loopback(options.port);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 1024))
    fail("listen on port %d: %s", options.port, strerror(errno));
  watch(listener, &listener_mark, EPOLLIN, EPOLL_CTL_ADD);
}

static void accept_all(void) {
  for (;;) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (descriptor < 0 && errno == EAGAIN) return;
    if (descriptor < 0) fail("accept: %s", strerror(errno));
    Connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("no memory for a connection");
    prepare(connection, descriptor, AT_SERVER);
  }
}

/* Whether the connection is still there. */
static bool closed(Connection *connection) {
  if (options.role != SINK) {
    if (stopping) return true;
    fail("the server closed a connection");
  }
  close(connection->descriptor);
  free(connection->in.bytes);
  free(connection->out.bytes);
  free(connection);
  return true;
}

static size_t receive(Connection *connection, char *bytes, size_t count) {
  if (options.role == SINK) return sink_receive(connection, bytes, count);
  if (connection->side == AT_TARGET) return http_receive(connection, bytes, count);
  return options.protocol->receive(connection, bytes, count);
}

/* As `recv`; with --refusals or --record it notes when the kernel got the last byte read, which is earlier than now
 * when this program had to wait for a processor. */
static ssize_t receive_some(Connection *connection, char *bytes, size_t room) {
  if (!options.refusals && !options.record) return recv(connection->descriptor, bytes, room, 0);
  _Alignas(struct cmsghdr) char notes[CMSG_SPACE(sizeof(struct timespec))];
  struct iovec piece = {bytes, room};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = notes, .msg_controllen = sizeof notes};
  ssize_t got = recvmsg(connection->descriptor, &message, 0);
  if (got <= 0) return got;
  connection->arrived = now();
  for (struct cmsghdr *note = CMSG_FIRSTHDR(&message); note; note = CMSG_NXTHDR(&message, note)) {
    if (note->cmsg_level != SOL_SOCKET || note->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec time;
    memcpy(&time, CMSG_DATA(note), sizeof time);
    connection->arrived = nanoseconds(time);
  }
  return got;
}

/* Reads the available bytes; to the end when the peer has closed, for that is not reported again. */
static void read_all(Connection *connection, bool has_ended) {
  Buffer *in = &connection->in;
  for (;;) {
    buffer_reserve(in, READ_SIZE);
    size_t room = in->room - in->end;
    ssize_t got = receive_some(connection, in->bytes + in->end, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0 && closed(connection)) return;
    in->end += (size_t)got;
    size_t eaten;
    while (in->start < in->end && (eaten = receive(connection, in->bytes + in->start, in->end - in->start)))
      in->start += eaten;
    if ((size_t)got < room && !has_ended) return;
  }
}

void loop_wake_at(uint64_t time) {
  if (options.tick_milliseconds || (alarm_at && alarm_at <= time)) return;
  alarm_at = time;
  struct itimerspec when = {.it_value = {(time_t)(time / 1000000000ull), (long)(time % 1000000000ull)}};
  if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL)) fail("timer: %s", strerror(errno));
}

static void tick(void) {
  alarm_at = 0;
  if (options.role == COLLECT) collector_tick();
  else if (options.role != WORK && options.role != SINK) producer_tick();
  uint64_t time = now();
  for (size_t i = 0; i < used; i++) {
    if (!connections[i].wake) continue;
    if (connections[i].wake > time) {
      loop_wake_at(connections[i].wake);
      continue;
    }
    connections[i].wake = 0;
    options.protocol->take(&connections[i]);
    connection_send(&connections[i]);
  }
}

void connection_ready(Connection *connection) {
  static int ready;
  connection->ready = true;
  if (options.role == WORK) {
    worker_ready(connection);
    return;
  }
  if (++ready < options.connections) return;
  started = now();
  if (options.role == COLLECT) collector_start();
  else producer_start();
}

static bool done(void) {
  if (options.role == COLLECT) return collector_is_done();
  return options.role != WORK && options.role != SINK && started && producer_is_done();
}

/* No progress for the maximum time. */
static bool stuck(void) {
  static uint64_t moved, seen;
  uint64_t sum = tally.begun + tally.done + tally.refused + tally.errors, time = now();
  if (sum != seen || !moved) moved = time;
  seen = sum;
  return (double)(time - moved) / 1e9 > options.patience;
}

static void open_all(void) {
  bool with_target = options.role == WORK && options.target_port;
  connections = calloc((size_t)options.connections * 2 + 1, sizeof *connections);
  for (int i = 0; i < options.connections && options.role != SINK; i++) {
    Connection *connection = connection_open(options.port, AT_SERVER);
    if (!with_target) continue;
    connection->companion = connection_open(options.target_port, AT_TARGET);
    connection->companion->companion = connection;
  }
  for (size_t i = 0; i < used; i++)
    if (connections[i].side == AT_SERVER) options.protocol->hello(&connections[i]);
}

/* Sleeps until the next tick: received bytes are read together, and planned requests are sent together, without a
 * wake-up for each. */
static void sleep_until_tick(void) {
  const uint64_t step = (uint64_t)options.tick_milliseconds * 1000000ull;
  uint64_t at = (now() / step + 1) * step;
  struct timespec next = {(time_t)(at / 1000000000ull), (long)(at % 1000000000ull)};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
}

void loop_run(void) {
  epoll = epoll_create1(0);
  timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
  watch(timer, &timer_mark, EPOLLIN, EPOLL_CTL_ADD);
  if (options.role == SINK) sink_listen();
  open_all();
  int count = 0;
  while (!stopping && !done()) {
    struct epoll_event events[EVENTS_MAX];
    if (options.tick_milliseconds && count < EVENTS_MAX) sleep_until_tick();
    count = epoll_wait(epoll, events, EVENTS_MAX, options.tick_milliseconds ? 0 : IDLE_MILLISECONDS);
    for (int i = 0; i < count; i++) {
      Connection *connection = events[i].data.ptr;
      uint64_t times;
      if (connection == &timer_mark) {
        if (read(timer, &times, sizeof times) == (ssize_t)sizeof times) tick();
      } else if (connection == &listener_mark) {
        accept_all();
      } else {
        if (events[i].events & EPOLLOUT) connection_send(connection);
        if (events[i].events & ~(uint32_t)EPOLLOUT)
          read_all(connection, events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
      }
    }
    if (options.tick_milliseconds && started) tick();
    if (stuck()) {
      complain("nothing moves", strlen("nothing moves"));
      break;
    }
  }
}
