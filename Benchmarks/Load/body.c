/* The job that is submitted. The text may hold {n} its number, {t} the time in nanoseconds at which it was to be
 * submitted, {due} the time at which it is due, {at} the same as a date, and {pad} padding up to the requested length.
 * All have a fixed width, so that the text is laid out once and each job only changes digits. */
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBER_DIGITS = 12, TIME_DIGITS = 19, DATE_LENGTH = 24, PLACES_MAX = 4 };
typedef struct {
  size_t at[PLACES_MAX];
  int count;
} Places;

static char *body;
size_t body_length;
uint64_t body_due, body_number;
static Places numbers, times, dues, dates;
static uint64_t number_base, made;

static void note(Places *places, size_t at) {
  if (places->count == PLACES_MAX) fail("too many of one kind in the body");
  places->at[places->count++] = at;
}

static void digits(const Places *places, uint64_t value, int width) {
  for (int i = 0; i < places->count; i++) {
    uint64_t rest = value;
    for (int k = width - 1; k >= 0; k--, rest /= 10) body[places->at[i] + (size_t)k] = (char)('0' + rest % 10);
  }
}

static void date(uint64_t nanoseconds) {
  char text[32];
  time_t seconds = (time_t)(nanoseconds / 1000000000ull);
  struct tm parts;
  gmtime_r(&seconds, &parts);
  size_t count = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + count, sizeof text - count, ".%03dZ", (int)(nanoseconds / 1000000ull % 1000));
  for (int i = 0; i < dates.count; i++) memcpy(body + dates.at[i], text, DATE_LENGTH);
}

static size_t widths(const char *text) {
  static const struct { const char *name; int width; } known[] = {
    {"{n}", NUMBER_DIGITS}, {"{t}", TIME_DIGITS}, {"{due}", TIME_DIGITS}, {"{at}", DATE_LENGTH}, {"{pad}", 0}};
  size_t length = strlen(text);
  for (const char *at = text; *at; at++)
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (!strncmp(at, known[k].name, strlen(known[k].name)))
        length += (size_t)known[k].width - strlen(known[k].name);
  return length;
}

void body_prepare(const char *text, size_t size) {
  size_t length = widths(text), pad = length < size ? size - length : 0;
  body = calloc(1, length + pad + 1);
  number_base = now() / 1000000ull % 100000ull * 10000000ull;
  struct { const char *name; Places *places; size_t width; } kinds[] = {
    {"{n}", &numbers, NUMBER_DIGITS}, {"{t}", &times, TIME_DIGITS}, {"{due}", &dues, TIME_DIGITS},
    {"{at}", &dates, DATE_LENGTH}, {"{pad}", NULL, pad}};
  while (*text) {
    size_t k = 0, count = sizeof kinds / sizeof *kinds;
    while (k < count && strncmp(text, kinds[k].name, strlen(kinds[k].name))) k++;
    if (k == count) {
      body[body_length++] = *text++;
      continue;
    }
    if (kinds[k].places) note(kinds[k].places, body_length);
    memset(body + body_length, 'x', kinds[k].width);
    body_length += kinds[k].width;
    text += strlen(kinds[k].name);
  }
}

/* Due times are whole milliseconds, as dates are. */
static uint64_t due_time(void) {
  uint64_t due = 0;
  if (options.spread > 0)
    due = started + (options.delay_milliseconds * 1000000ull) +
      (uint64_t)((double)made / (double)options.count * options.spread * 1e9);
  else if (options.delay_milliseconds) due = now() + options.delay_milliseconds * 1000000ull;
  return (due + 999999ull) / 1000000ull * 1000000ull;
}

const char *body_next(uint64_t time) {
  body_due = due_time();
  body_number = number_base + made;
  digits(&numbers, body_number, NUMBER_DIGITS);
  digits(&times, time, TIME_DIGITS);
  digits(&dues, body_due, TIME_DIGITS);
  if (dates.count) date(body_due);
  made++;
  return body;
}

uint64_t number_after(const char *bytes, size_t count, const char *key) {
  const char *found = memmem(bytes, count, key, strlen(key));
  if (!found) return 0;
  uint64_t value = 0;
  for (found += strlen(key); found < bytes + count && *found >= '0' && *found <= '9'; found++)
    value = value * 10 + (uint64_t)(*found - '0');
  return value;
}
