/* usage: load PROTOCOL ROLE --port N [option value]...      prints one line of JSON
 *
 * PROTOCOL  http redis postgresql rabbitmq beanstalkd
 * ROLE      submit   send jobs and count the acknowledgements
 *           read     ask for the same thing again and again
 *           collect  submit --count jobs to our server and read every result
 *           work     be the worker of a peer until --count jobs are done
 *           sink     be an HTTP server until it was called --count times
 * With --record FILE, submit over HTTP and sink write a row for each request there at the end (`Row` in load.h).
 * The other options are in the table below; times are in seconds. */
#include "load.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

Options options = {
  .connections = 64, .pipeline = 1, .batch = 1, .size = 300, .patience = 20,
  .path = "/v1/jobs", .target_path = "/job.json",
  .queue = "jobs", .results = "results", .key = "", .body = "{\"n\":\"{n}\",\"t\":\"{t}\",\"due\":\"{due}\",\"pad\":\"{pad}\"}"};
Tally tally;
bool stopping;

static const Protocol *const protocols[] = {
  &http_protocol, &redis_protocol, &postgresql_protocol, &rabbitmq_protocol, &beanstalkd_protocol};
static const char *const roles[] = {"submit", "read", "collect", "work", "sink"};

void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("load: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  exit(1);
}

void complain(const char *text, size_t count) {
  enum { SHOWN_MAX = 3, TEXT_MAX = 600 };
  if (tally.errors++ >= SHOWN_MAX) return;
  fputs("load: error: ", stderr);
  for (size_t i = 0; i < count && i < TEXT_MAX; i++) fputc(text[i] ? text[i] : ' ', stderr);
  fputc('\n', stderr);
}

static void stop(int signal) {
  (void)signal;
  stopping = true;
}

static void set_text(const char *name, const char *value) {
  static const struct { const char *name; const char **place; } texts[] = {
    {"--body", &options.body}, {"--path", &options.path}, {"--target-path", &options.target_path},
    {"--header", &options.header}, {"--expect", &options.expect}, {"--key", &options.key},
    {"--queue", &options.queue}, {"--results", &options.results}, {"--insert", &options.insert},
    {"--select", &options.select}, {"--finish", &options.finish}, {"--record", &options.record}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(name, texts[i].name)) {
      *texts[i].place = value;
      return;
    }
  fail("unknown option %s", name);
}

static void set(const char *name, const char *value) {
  static const struct { const char *name; int *whole; size_t *size; double *number; uint64_t *count; } numbers[] = {
    {"--port", &options.port, 0, 0, 0}, {"--target-port", &options.target_port, 0, 0, 0},
    {"--connections", &options.connections, 0, 0, 0}, {"--refusals", &options.refusals, 0, 0, 0},
    {"--pipeline", &options.pipeline, 0, 0, 0}, {"--tick-ms", &options.tick_milliseconds, 0, 0, 0},
    {"--batch", 0, &options.batch, 0, 0},
    {"--size", 0, &options.size, 0, 0}, {"--seconds", 0, 0, &options.seconds, 0}, {"--rate", 0, 0, &options.rate, 0},
    {"--spread", 0, 0, &options.spread, 0}, {"--report-every", 0, 0, &options.report_every, 0},
    {"--patience", 0, 0, &options.patience, 0}, {"--count", 0, 0, 0, &options.count},
    {"--already", 0, 0, 0, &options.already},
    {"--delay-ms", 0, 0, 0, &options.delay_milliseconds}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(name, numbers[i].name)) continue;
    if (numbers[i].whole) *numbers[i].whole = atoi(value);
    if (numbers[i].size) *numbers[i].size = strtoull(value, NULL, 10);
    if (numbers[i].number) *numbers[i].number = atof(value);
    if (numbers[i].count) *numbers[i].count = strtoull(value, NULL, 10);
    return;
  }
  set_text(name, value);
}

static void read_options(int count, char **words) {
  size_t protocol = 0, role = 0;
  if (count < 3 || count % 2 == 0) fail("usage: load PROTOCOL ROLE --port N [option value]...");
  while (protocol < 5 && strcmp(protocols[protocol]->name, words[1])) protocol++;
  while (role < 5 && strcmp(roles[role], words[2])) role++;
  if (protocol == 5 || role == 5) fail("unknown: %s %s", words[1], words[2]);
  options.protocol = protocols[protocol];
  options.role = (Role)role;
  for (int i = 3; i + 1 < count; i += 2) set(words[i], words[i + 1]);
  if (!options.port || options.connections < 1 || options.batch < 1) fail("--port, --connections and --batch are at least 1");
  if (options.protocol == &rabbitmq_protocol && options.batch >= CONFIRMS_MAX) fail("--batch is below %d here", CONFIRMS_MAX);
  if (role == COLLECT && !options.count) fail("collect needs --count");
  if (options.spread > 0 && !options.count) fail("--spread needs --count");
  bool ticks = role == SUBMIT || role == READ;
  if (options.tick_milliseconds < 0 || (options.tick_milliseconds && !ticks)) fail("--tick-ms is for submit and read");
  if (options.pipeline < 1) fail("--pipeline is at least 1");
  bool pipelines = ticks && options.protocol == &http_protocol;
  bool records = role == SINK || (role == SUBMIT && options.protocol == &http_protocol && options.batch == 1);
  if (options.record && !records) fail("--record is for sink, and to submit single jobs over http");
  if (options.pipeline > 1 && !pipelines) fail("--pipeline is for submit and read over http");
}

static void print_times(const char *prefix, const Histogram *times) {
  if (!times->total) return;
  printf("\"%sp50_ms\":%.3f,\"%sp99_ms\":%.3f,\"%sp999_ms\":%.3f,\"%smin_ms\":%.3f,\"%smax_ms\":%.3f,", prefix,
         histogram_milliseconds(times, .5), prefix, histogram_milliseconds(times, .99), prefix,
         histogram_milliseconds(times, .999), prefix, (double)times->least / 1e6, prefix, (double)times->most / 1e6);
}

static void print(void) {
  struct rusage usage;
  double seconds = tally.last > tally.first ? (double)(tally.last - tally.first) / 1e9 : 0;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"done\":%llu,\"seconds\":%.3f,\"per_s\":%.1f,", (unsigned long long)tally.done, seconds,
         seconds > 0 ? (double)tally.done / seconds : 0);
  print_times("", &tally.latency);
  print_times("late_", &tally.late);
  if (options.refusals) printf("\"refused\":%llu,", (unsigned long long)tally.refused);
  print_times("refusal_", &tally.refusals);
  print_times("refusal_read_", &tally.refusals_read);
  if (options.role == COLLECT) collector_print();
  printf("\"errors\":%llu,\"cpu_s\":%.2f}\n", (unsigned long long)tally.errors,
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

int main(int count, char **words) {
  read_options(count, words);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  setvbuf(stdout, NULL, _IOLBF, 0);
  started = now();
  body_prepare(options.body, options.size);
  started = 0;
  loop_run();
  print();
  if (options.record) record_write();
  return 0;
}
