/* usage: distance PORT UPSTREAM_PORT MILLISECONDS     until SIGTERM
 *
 * A TCP proxy on 127.0.0.1 that hands on everything half of that time after it came, in each direction, as a longer way
 * would, and limits nothing else. What came is in one line: since all of it waits equally long, it is due in order. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 18, EVENTS_MAX = 256 };

typedef struct Side Side;

/* Bytes on their way; none is the end of what this direction carries. */
typedef struct Piece {
  struct Piece *next;
  Side *to;
  uint64_t due;
  size_t start, count;
  char bytes[];
} Piece;

typedef struct {
  Piece *first, *last;
} Line;

struct Side {
  int descriptor;
  Side *peer;
  Line out;         /* due, and not taken by the socket yet */
  bool is_broken;   /* what comes for it is dropped */
  bool is_read;     /* to its end, which was told once */
  bool has_ended;   /* everything was handed on to it */
  Side *next_dead;
};

static int epoll, timer, listener, upstream;
static uint64_t wait;
static Line way;
static Side *dead;
static char listener_mark, timer_mark;

static void fail(const char *text) {
  fprintf(stderr, "distance: %s: %s\n", text, strerror(errno));
  exit(1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void add(Line *line, Piece *piece) {
  piece->next = NULL;
  if (line->first) line->last->next = piece;
  else line->first = piece;
  line->last = piece;
}

static Piece *take(Line *line) {
  Piece *piece = line->first;
  line->first = piece->next;
  return piece;
}

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void watch(int descriptor, void *mark, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = mark};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll");
}

static Side *side(int descriptor) {
  int on = 1;
  Side *made = calloc(1, sizeof *made);
  if (!made) fail("memory");
  made->descriptor = descriptor;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(descriptor, made, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  return made;
}

static void accept_one(void) {
  struct sockaddr_in address = loopback(upstream);
  int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
  if (client < 0 || server < 0) fail("accept");
  if (connect(server, (void *)&address, sizeof address)) {
    close(client);
    close(server);
    return;
  }
  Side *one = side(client), *other = side(server);
  one->peer = other;
  other->peer = one;
}

/* The end of a direction; with that of the other one, of the connection. */
static void end(Side *to) {
  to->has_ended = true;
  shutdown(to->descriptor, SHUT_WR);
  if (!to->peer->has_ended) return;
  to->next_dead = dead;
  dead = to;
}

/* Gives the socket what is due for it, as far as it takes it. */
static void flush(Side *to) {
  while (to->out.first) {
    Piece *piece = to->out.first;
    while (piece->start < piece->count && !to->is_broken) {
      ssize_t sent = send(to->descriptor, piece->bytes + piece->start, piece->count - piece->start,
                          MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) piece->start += (size_t)sent;
      else if (errno == EAGAIN) return;
      else if (errno != EINTR) to->is_broken = true;
    }
    bool is_end = piece->count == 0;
    free(take(&to->out));
    if (is_end) return end(to);
  }
}

static void read_all(Side *from) {
  static char bytes[READ_SIZE];
  while (!from->is_read) {
    ssize_t got = recv(from->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got < 0 && errno == EINTR) continue;
    size_t count = got > 0 ? (size_t)got : 0;
    Piece *piece = malloc(sizeof *piece + count);
    if (!piece) fail("memory");
    *piece = (Piece){.to = from->peer, .due = now() + wait, .count = count};
    memcpy(piece->bytes, bytes, count);
    add(&way, piece);
    from->is_read = !count;
  }
}

static void hand_on(void) {
  while (way.first && way.first->due <= now()) {
    Piece *piece = take(&way);
    add(&piece->to->out, piece);
    flush(piece->to);
  }
  if (!way.first) return;
  uint64_t due = way.first->due;
  struct itimerspec when = {.it_value = {(time_t)(due / 1000000000), (long)(due % 1000000000)}};
  if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL)) fail("timer");
}

static void bury(void) {
  while (dead) {
    Side *one = dead, *other = one->peer;
    dead = one->next_dead;
    close(one->descriptor);
    close(other->descriptor);
    free(one);
    free(other);
  }
}

int main(int count, char **words) {
  if (count != 4) {
    fputs("usage: distance PORT UPSTREAM_PORT MILLISECONDS\n", stderr);
    return 1;
  }
  int on = 1;
  struct sockaddr_in address = loopback(atoi(words[1]));
  upstream = atoi(words[2]);
  wait = (uint64_t)(atof(words[3]) * 1e6 / 2);
  epoll = epoll_create1(0);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 256)) fail("listen");
  watch(listener, &listener_mark, EPOLLIN);
  watch(timer, &timer_mark, EPOLLIN);
  for (;;) {
    struct epoll_event events[EVENTS_MAX];
    int found = epoll_wait(epoll, events, EVENTS_MAX, -1);
    for (int i = 0; i < found; i++) {
      void *mark = events[i].data.ptr;
      uint64_t times;
      if (mark == &listener_mark) accept_one();
      else if (mark == &timer_mark) (void)!read(timer, &times, sizeof times);
      else {
        if (events[i].events & EPOLLOUT) flush(mark);
        if (events[i].events & ~(uint32_t)EPOLLOUT) read_all(mark);
      }
    }
    hand_on();
    bury();
  }
}
