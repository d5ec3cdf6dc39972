/* Loaded before the C library (LD_PRELOAD): the bytes that a process has allocated and not freed, now and at most since
 * the maximum was set back, in the file that BOUNDS_LIVE names. All threads together. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIVE, MOST, COUNTS };
static _Atomic int64_t before_start[COUNTS];
static _Atomic int64_t *counts = before_start;

__attribute__((constructor)) static void open_counts(void) {
  const char *path = getenv("BOUNDS_LIVE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof before_start, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) {
    ((_Atomic int64_t *)shared)[LIVE] = before_start[LIVE];
    counts = shared;
  }
  close(file);
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void *begun(void *place) {
  if (!place) return place;
  int64_t bytes = (int64_t)malloc_usable_size(place);
  int64_t live = atomic_fetch_add_explicit(&counts[LIVE], bytes, memory_order_relaxed) + bytes;
  int64_t most = atomic_load_explicit(&counts[MOST], memory_order_relaxed);
  while (live > most && !atomic_compare_exchange_weak_explicit(&counts[MOST], &most, live, memory_order_relaxed,
                                                               memory_order_relaxed)) {}
  return place;
}

static void ended(void *place) {
  if (place) atomic_fetch_sub_explicit(&counts[LIVE], (int64_t)malloc_usable_size(place), memory_order_relaxed);
}

void *malloc(size_t size) { NEXT(malloc); return begun(next(size)); }
void *calloc(size_t number, size_t size) { NEXT(calloc); return begun(next(number, size)); }
void *realloc(void *old, size_t size) {
  NEXT(realloc);
  int64_t before = old ? (int64_t)malloc_usable_size(old) : 0;
  void *place = next(old, size);
  if (place || !size) atomic_fetch_sub_explicit(&counts[LIVE], before, memory_order_relaxed);
  return begun(place);
}
void *aligned_alloc(size_t alignment, size_t size) { NEXT(aligned_alloc); return begun(next(alignment, size)); }
int posix_memalign(void **place, size_t alignment, size_t size) {
  NEXT(posix_memalign);
  int status = next(place, alignment, size);
  if (!status) begun(*place);
  return status;
}
void free(void *place) { NEXT(free); ended(place); next(place); }
