#include "load.h"
#include <string.h>

enum { STEPS = 128, STEP_BITS = 7 };

/* Below 128 each value has its own bucket; above, each power of two has 128 buckets. */
static size_t place(uint64_t value) {
  if (value < STEPS) return (size_t)value;
  int shift = 63 - __builtin_clzll(value) - STEP_BITS;
  return (size_t)(shift + 1) * STEPS + (size_t)((value >> shift) - STEPS);
}

static uint64_t middle(size_t place) {
  if (place < STEPS) return place;
  int shift = (int)(place / STEPS) - 1;
  return ((place % STEPS + STEPS) << shift) + (1ull << shift) / 2;
}

void histogram_add(Histogram *histogram, int64_t nanoseconds) {
  if (!histogram->total || nanoseconds < histogram->least) histogram->least = nanoseconds;
  if (!histogram->total || nanoseconds > histogram->most) histogram->most = nanoseconds;
  histogram->counts[place(nanoseconds < 0 ? 0 : (uint64_t)nanoseconds)]++;
  histogram->total++;
}

double histogram_milliseconds(const Histogram *histogram, double quantile) {
  uint64_t wanted = (uint64_t)(quantile * (double)histogram->total + 0.5), seen = 0;
  if (!histogram->total) return 0;
  if (wanted < 1) wanted = 1;
  for (size_t i = 0; i < sizeof histogram->counts / sizeof *histogram->counts; i++) {
    seen += histogram->counts[i];
    if (seen >= wanted) return (double)middle(i) / 1e6;
  }
  return (double)histogram->most / 1e6;
}

void histogram_clear(Histogram *histogram) { memset(histogram, 0, sizeof *histogram); }
