/* Loaded before the C library (LD_PRELOAD): counts allocations, copied and written bytes of a process, for all threads
 * together, in the file that COSTS_COUNTS names. What a compiler turns into plain moves is not counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The order of the numbers in the file. */
enum { ALLOCATIONS, ALLOCATED_BYTES, COPIES, COPIED_BYTES, FILE_BYTES, SENT_BYTES, COUNTS };
static _Atomic uint64_t before_start[COUNTS];
static _Atomic uint64_t *counts = before_start;

static void count(int which, uint64_t number) { atomic_fetch_add_explicit(&counts[which], number, memory_order_relaxed); }

__attribute__((constructor)) static void open_counts(void) {
  const char *path = getenv("COSTS_COUNTS");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof before_start, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) counts = shared;
  close(file);
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void allocated(size_t bytes) {
  count(ALLOCATIONS, 1);
  count(ALLOCATED_BYTES, bytes);
}

void *malloc(size_t size) { NEXT(malloc); allocated(size); return next(size); }
void *calloc(size_t number, size_t size) { NEXT(calloc); allocated(number * size); return next(number, size); }
void *realloc(void *old, size_t size) { NEXT(realloc); allocated(size); return next(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { NEXT(aligned_alloc); allocated(size); return next(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
  NEXT(posix_memalign);
  allocated(size);
  return next(place, alignment, size);
}
/* operator new and new[] of C++, in which parts of the runtime are written */
void *_Znwm(size_t size) { NEXT(_Znwm); allocated(size); return next(size); }
void *_Znam(size_t size) { NEXT(_Znam); allocated(size); return next(size); }

static void copied(size_t bytes) {
  count(COPIES, 1);
  count(COPIED_BYTES, bytes);
}

/* Without a call to the function that is replaced. */
static void move_up(void *to, const void *from, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  copied(bytes);
  move_up(to, from, bytes);
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  copied(bytes);
  if ((uintptr_t)to - (uintptr_t)from >= bytes) move_up(to, from, bytes);
  else {
    char *target = to;
    const char *source = from;
    for (size_t i = bytes; i-- > 0;) ((volatile char *)target)[i] = source[i];
  }
  return to;
}

void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room) {
  if (bytes > room) abort();
  return memcpy(to, from, bytes);
}

void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room) {
  if (bytes > room) abort();
  return memmove(to, from, bytes);
}

static ssize_t written(int descriptor, ssize_t bytes) {
  struct stat facts;
  if (bytes > 0) count(!fstat(descriptor, &facts) && S_ISREG(facts.st_mode) ? FILE_BYTES : SENT_BYTES, (uint64_t)bytes);
  return bytes;
}

ssize_t write(int file, const void *bytes, size_t size) { NEXT(write); return written(file, next(file, bytes, size)); }
ssize_t writev(int file, const struct iovec *parts, int number) {
  NEXT(writev);
  return written(file, next(file, parts, number));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  NEXT(pwrite);
  return written(file, next(file, bytes, size, at));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  NEXT(pwrite64);
  return written(file, next(file, bytes, size, at));
}
ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  NEXT(send);
  return written(socket, next(socket, bytes, size, flags));
}
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  NEXT(sendmsg);
  return written(socket, next(socket, message, flags));
}
