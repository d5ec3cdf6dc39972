/* Loaded before the C library (LD_PRELOAD): spends COSTS_PLANT instructions at each answer, to show that the guard sees
 * work that was added. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

static void spend(void) {
  static long turns = -1;
  if (turns < 0) turns = atol(getenv("COSTS_PLANT") ? getenv("COSTS_PLANT") : "0") / 2;
  /* two instructions a turn */
  for (long i = turns; i > 0; i--) __asm__ volatile("");
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  static __typeof__(&send) next;
  if (!next) next = (__typeof__(&send))dlsym(RTLD_NEXT, "send");
  spend();
  return next(socket, bytes, size, flags);
}
