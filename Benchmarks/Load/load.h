/* A load generator for job servers: one thread, one epoll, many connections. Each file holds one concept:
 *
 *   main.c        the command line and the line of JSON that is printed at the end
 *   loop.c        connections, the event loop, timers
 *   buffer.c      bytes on their way in and out
 *   histogram.c   times and their percentiles
 *   body.c        the job that is submitted, with its number and times
 *   producer.c    submits or reads, in turn (closed loop) or at a fixed rate (open loop)
 *   worker.c      takes jobs from a peer, may call a URL for each, stores the results, acknowledges
 *   collector.c   submits jobs to an HTTP server, then waits until every result has been read
 *   sink.c        an HTTP server that records the delay of each call
 *   record.c      a row for each request, written at the end
 *   http.c redis.c postgresql.c rabbitmq.c beanstalkd.c   one protocol each
 */
#ifndef LOAD_H
#define LOAD_H
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from `start` to `end` are in use. */
typedef struct {
  char *bytes;
  size_t start, end, room;
} Buffer;

void buffer_reserve(Buffer *buffer, size_t count);
void buffer_add(Buffer *buffer, const void *bytes, size_t count);
void buffer_text(Buffer *buffer, const char *text);
void buffer_format(Buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Integers in network order, of one, two, four and eight bytes. */
void buffer_integer(Buffer *buffer, uint64_t value, int bytes);
uint64_t integer_at(const char *bytes, int count);

/* Counts of times in nanoseconds, in steps of less than 1 %. */
typedef struct {
  uint64_t counts[64 * 128];
  uint64_t total;
  int64_t least, most;
} Histogram;

void histogram_add(Histogram *histogram, int64_t nanoseconds);
double histogram_milliseconds(const Histogram *histogram, double quantile);
void histogram_clear(Histogram *histogram);

/* A job that a worker has taken. `handle` is the server's handle for the acknowledgement. */
typedef struct {
  char handle[64];
  size_t handle_length;
  uint64_t number, submitted, due;
} Job;

typedef struct {
  Job *list;
  size_t count, room;
} Jobs;

typedef enum { AT_SERVER, AT_TARGET } Side;

/* A request of a producer on its way: its jobs, the answers that are missing, when it was to be sent and when it was. */
typedef struct {
  size_t jobs, answers;
  uint64_t planned, sent, number;
} Request;

/* Fewer messages than this are on their way to RabbitMQ on a connection. */
#define CONFIRMS_MAX 1024

typedef struct Connection Connection;
struct Connection {
  int descriptor, index;
  Side side;
  Buffer in, out;
  bool ready, wants_to_write;
  bool idle;            /* of a collector: nothing is on its way */
  int step;             /* of the handshake */
  size_t pending;       /* answers that are missing; of a producer: those to the latest request */
  uint64_t planned;     /* when the latest request was to be sent */
  Request *requests;    /* of a producer: a ring with room for --pipeline requests, in the order of their answers */
  size_t first, open;   /* the oldest of them, and how many there are */
  uint64_t arrived;     /* when the kernel got what was read last; with --refusals or --record */
  uint64_t durable, total; /* what the server said of its latest answer; with --record */
  bool refused;         /* the server has no room for the oldest request */
  uint64_t wake;        /* when to go on by itself, 0 for never */
  char id[64];          /* of the job that a collector asks for, or that the server made; with --record */
  bool fetching;        /* a collector reads results; a worker waits for jobs */
  Connection *companion;/* of a worker: its connection to the target, and back */
  Jobs taken, in_hand;
  size_t called;        /* answers of the target for the jobs in hand */
  char result[512];
  size_t result_length;
  uint64_t tag, confirmed; /* RabbitMQ: the last message sent, and up to which all are confirmed */
  bool confirmed_alone[CONFIRMS_MAX]; /* those behind that one, by their tags */
};

/* The protocol of a server. `receive` consumes one message and returns its length; 0 asks for more bytes.
 * Workers need the last three. */
typedef struct {
  const char *name;
  void (*hello)(Connection *);
  size_t (*receive)(Connection *, char *bytes, size_t count);
  void (*submit)(Connection *, size_t jobs);
  void (*read)(Connection *);
  void (*take)(Connection *);
  void (*store)(Connection *, const Job *);
  void (*acknowledge)(Connection *);
} Protocol;

extern const Protocol http_protocol, redis_protocol, postgresql_protocol, rabbitmq_protocol, beanstalkd_protocol;

typedef enum { SUBMIT, READ, COLLECT, WORK, SINK } Role;

typedef struct {
  const Protocol *protocol;
  Role role;
  int port, target_port, connections;
  size_t batch, size;
  double seconds, rate, spread, report_every, patience;
  int refusals; /* whether 429 and 503 are counted apart from errors */
  int pipeline; /* how many requests may be on their way on one connection; to submit or read over HTTP */
  int tick_milliseconds; /* how often answers are read and requests sent, 0 for at once; to submit or read */
  uint64_t count, delay_milliseconds, already;
  const char *body, *path, *target_path, *header, *expect, *key, *queue, *results, *insert, *select, *finish, *record;
} Options;

/* The counters. */
typedef struct {
  uint64_t begun, done, refused, errors;
  uint64_t first, last; /* times of the first submission and of the last answer */
  /* Refusals count from when the request was sent until the kernel had the answer, or until it was read. */
  Histogram latency, late, refusals, refusals_read;
} Tally;

extern Options options;
extern Tally tally;
extern bool stopping;

uint64_t now(void);
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Counts an error and shows the first few. */
void complain(const char *text, size_t count);

/* loop.c */
extern Connection *connections;
extern uint64_t started;
Connection *connection_open(int port, Side side);
void connection_send(Connection *connection);
/* The handshake is over. */
void connection_ready(Connection *connection);
void loop_run(void);
/* Calls the role's `tick` at that time. */
void loop_wake_at(uint64_t time);

/* body.c */
void body_prepare(const char *text, size_t size);
extern size_t body_length;
/* When the latest job is due, 0 for at once. */
extern uint64_t body_due;
/* The number of the latest job. */
extern uint64_t body_number;
/* The next job; valid until the next call. */
const char *body_next(uint64_t time);
uint64_t number_after(const char *bytes, size_t count, const char *key);

/* producer.c */
bool may_begin(void);
void producer_start(void);
void producer_tick(void);
bool producer_is_done(void);
/* `answers` answers arrived on this connection. */
void answered(Connection *connection, size_t answers);

/* worker.c */
void worker_ready(Connection *connection);
void worker_took(Connection *connection, const char *handle, size_t length, const char *body, size_t count);
void worker_begin(Connection *connection);
void worker_called(Connection *worker, const char *body, size_t count);
void worker_answered(Connection *connection, size_t answers);

/* collector.c */
void collector_start(void);
void collector_answered(Connection *connection, const char *body, size_t count);
void collector_tick(void);
void collector_print(void);
bool collector_is_done(void);

/* sink.c */
void sink_listen(void);
size_t sink_receive(Connection *connection, char *bytes, size_t count);

/* record.c: a row for each request of a producer with one job each, or for each call of a sink, with its times in
 * nanoseconds. Of a call, `arrived` is when the kernel had it, and `sent` when it was answered. */
typedef struct {
  uint64_t number, planned, sent, arrived, durable, total;
  char id[32];
} Row;
void record_add(const Row *row);
void record_write(void);

/* http.c */
size_t http_receive(Connection *connection, char *bytes, size_t count);
void http_get(Connection *connection, const char *path, const char *id);

#endif
