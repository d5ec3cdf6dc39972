/* RabbitMQ (AMQP 0-9-1): persistent messages with publisher confirms in a quorum queue; results in a second queue, since
 * it keeps none. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHOD = 1, HEADER = 2, BODY = 3, FRAME_END = 0xCE, FRAME_MAX = 131072, PERSISTENT = 2, DURABLE = 2 };
/* Class and method, as class * 1000 + method. */
enum {
  CONNECTION_START = 10010, CONNECTION_START_OK = 10011, CONNECTION_TUNE = 10030, CONNECTION_TUNE_OK = 10031,
  CONNECTION_OPEN = 10040, CONNECTION_OPEN_OK = 10041, CONNECTION_CLOSE = 10050, CHANNEL_OPEN = 20010,
  CHANNEL_OPEN_OK = 20011, CHANNEL_CLOSE = 20040, QUEUE_DECLARE = 50010, QUEUE_DECLARE_OK = 50011, BASIC_QOS = 60010,
  BASIC_QOS_OK = 60011, BASIC_CONSUME = 60020, BASIC_CONSUME_OK = 60021, BASIC_PUBLISH = 60040, BASIC_DELIVER = 60060,
  BASIC_ACK = 60080, BASIC_NACK = 60120, CONFIRM_SELECT = 85010, CONFIRM_SELECT_OK = 85011
};

static size_t begin(Buffer *out, int kind, int channel) {
  buffer_integer(out, (uint64_t)kind, 1);
  buffer_integer(out, (uint64_t)channel, 2);
  buffer_integer(out, 0, 4);
  return out->end - out->start;
}

static void end(Buffer *out, size_t at) {
  size_t length = out->end - out->start - at;
  for (int i = 0; i < 4; i++) out->bytes[out->start + at - 4 + (size_t)i] = (char)(length >> (24 - 8 * i));
  buffer_integer(out, FRAME_END, 1);
}

static size_t begin_method(Buffer *out, int channel, int method) {
  size_t at = begin(out, METHOD, channel);
  buffer_integer(out, (uint64_t)method / 1000, 2);
  buffer_integer(out, (uint64_t)method % 1000, 2);
  return at;
}

static void short_text(Buffer *out, const char *text) {
  buffer_integer(out, strlen(text), 1);
  buffer_text(out, text);
}

static void long_text(Buffer *out, const char *bytes, size_t count) {
  buffer_integer(out, count, 4);
  buffer_add(out, bytes, count);
}

static void publish(Buffer *out, const char *queue, const char *bytes, size_t count) {
  size_t at = begin_method(out, 1, BASIC_PUBLISH);
  buffer_integer(out, 0, 2);
  short_text(out, "");
  short_text(out, queue);
  buffer_integer(out, 0, 1);
  end(out, at);
  at = begin(out, HEADER, 1);
  buffer_integer(out, 60, 2);
  buffer_integer(out, 0, 2);
  buffer_integer(out, count, 8);
  buffer_integer(out, 0x1000, 2); /* only the delivery mode follows */
  buffer_integer(out, PERSISTENT, 1);
  end(out, at);
  at = begin(out, BODY, 1);
  buffer_add(out, bytes, count);
  end(out, at);
}

static void declare(Buffer *out, const char *queue) {
  static const char key[] = "x-queue-type", value[] = "quorum";
  size_t at = begin_method(out, 1, QUEUE_DECLARE);
  buffer_integer(out, 0, 2);
  short_text(out, queue);
  buffer_integer(out, DURABLE, 1);
  buffer_integer(out, 1 + strlen(key) + 1 + 4 + strlen(value), 4);
  short_text(out, key);
  buffer_add(out, "S", 1);
  long_text(out, value, strlen(value));
  end(out, at);
}

static void hello(Connection *connection) {
  buffer_add(&connection->out, "AMQP\0\0\11\1", 8);
  connection_send(connection);
}

static void sign_in(Buffer *out) {
  size_t at = begin_method(out, 0, CONNECTION_START_OK);
  buffer_integer(out, 0, 4);
  short_text(out, "PLAIN");
  long_text(out, "\0guest\0guest", 12);
  short_text(out, "en_US");
  end(out, at);
}

static void tune(Buffer *out) {
  size_t at = begin_method(out, 0, CONNECTION_TUNE_OK);
  buffer_integer(out, 2047, 2);
  buffer_integer(out, FRAME_MAX, 4);
  buffer_integer(out, 0, 2);
  end(out, at);
  at = begin_method(out, 0, CONNECTION_OPEN);
  short_text(out, "/");
  short_text(out, "");
  buffer_integer(out, 0, 1);
  end(out, at);
}

/* The limit of unacknowledged jobs of a worker. */
static void limit(Buffer *out) {
  size_t at = begin_method(out, 1, BASIC_QOS);
  buffer_integer(out, 0, 4);
  buffer_integer(out, options.batch, 2);
  buffer_integer(out, 0, 1);
  end(out, at);
}

static void consume(Buffer *out) {
  size_t at = begin_method(out, 1, BASIC_CONSUME);
  buffer_integer(out, 0, 2);
  short_text(out, options.queue);
  short_text(out, "");
  buffer_integer(out, 0, 1);
  buffer_integer(out, 0, 4);
  end(out, at);
}

static void simple(Buffer *out, int method) {
  size_t at = begin_method(out, 1, method);
  buffer_integer(out, 0, 1);
  end(out, at);
}

static void submit(Connection *connection, size_t jobs) {
  for (size_t i = 0; i < jobs; i++)
    publish(&connection->out, options.queue, body_next(connection->planned), body_length);
  connection->pending = jobs;
}

/* Jobs come by themselves, as many as the limit allows. */
static void take(Connection *connection) { (void)connection; }

static void store(Connection *connection, const Job *job) {
  (void)job;
  publish(&connection->out, options.results, connection->result, connection->result_length);
  connection->pending++;
}

/* One acknowledgement for all jobs up to the last one in hand. */
static void acknowledge(Connection *connection) {
  size_t at = begin_method(&connection->out, 1, BASIC_ACK);
  buffer_integer(&connection->out, strtoull(connection->in_hand.list[connection->in_hand.count - 1].handle, NULL, 10), 8);
  buffer_integer(&connection->out, 1, 1);
  end(&connection->out, at);
}

static void confirmed(Connection *connection, const char *arguments) {
  uint64_t last = integer_at(arguments, 8);
  bool several = arguments[8] & 1;
  size_t answers = 0;
  for (uint64_t tag = several ? connection->confirmed + 1 : last; tag <= last; tag++) {
    bool *alone = &connection->confirmed_alone[tag % CONFIRMS_MAX];
    if (!*alone) answers++;
    *alone = true;
  }
  /* Confirmations contiguous with the confirmed prefix extend it. */
  for (bool *next; *(next = &connection->confirmed_alone[(connection->confirmed + 1) % CONFIRMS_MAX]);) {
    *next = false;
    connection->confirmed++;
  }
  if (options.role == WORK) worker_answered(connection, answers);
  else answered(connection, answers);
}

static void handshake(Connection *connection, int method) {
  Buffer *out = &connection->out;
  switch (method) {
  case CONNECTION_START: sign_in(out); break;
  case CONNECTION_TUNE: tune(out); break;
  case CONNECTION_OPEN_OK: {
    size_t at = begin_method(out, 1, CHANNEL_OPEN);
    short_text(out, "");
    end(out, at);
    break;
  }
  case CHANNEL_OPEN_OK:
    declare(out, options.queue);
    declare(out, options.results);
    break;
  case QUEUE_DECLARE_OK:
    if (++connection->step == 2) simple(out, CONFIRM_SELECT);
    break;
  case CONFIRM_SELECT_OK:
    if (options.role == WORK) limit(out);
    else connection_ready(connection);
    break;
  case BASIC_QOS_OK: consume(out); break;
  case BASIC_CONSUME_OK: connection_ready(connection); break;
  default: break;
  }
  connection_send(connection);
}

static void method_came(Connection *connection, const char *bytes, size_t count) {
  int method = (int)(integer_at(bytes, 2) * 1000 + integer_at(bytes + 2, 2));
  const char *arguments = bytes + 4;
  switch (method) {
  case BASIC_DELIVER:
    connection->tag = integer_at(arguments + 1 + (unsigned char)*arguments, 8);
    break;
  case BASIC_ACK: confirmed(connection, arguments); break;
  case BASIC_NACK:
    complain("a message was refused", strlen("a message was refused"));
    confirmed(connection, arguments);
    break;
  case CONNECTION_CLOSE:
  case CHANNEL_CLOSE: fail("RabbitMQ closed: %.*s", (int)count - 7, arguments + 3);
  default: handshake(connection, method);
  }
}

static size_t receive(Connection *connection, char *bytes, size_t count) {
  if (count < 8) return 0;
  size_t length = (size_t)integer_at(bytes + 3, 4);
  if (count < length + 8) return 0;
  if (*bytes == METHOD) {
    method_came(connection, bytes + 7, length);
  } else if (*bytes == BODY && options.role == WORK) {
    char handle[24];
    int digits = snprintf(handle, sizeof handle, "%llu", (unsigned long long)connection->tag);
    worker_took(connection, handle, (size_t)digits, bytes + 7, length);
    worker_begin(connection);
  }
  return length + 8;
}

const Protocol rabbitmq_protocol = {
  .name = "rabbitmq", .hello = hello, .receive = receive, .submit = submit, .take = take, .store = store,
  .acknowledge = acknowledge};
