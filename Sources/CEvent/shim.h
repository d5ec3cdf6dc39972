// libevent for Swift. <sys/types.h> comes first: libevent's own configuration header defines _GNU_SOURCE, and
// without the types read before it `fd_set` clashes with the one that Dispatch and Foundation see.
#ifndef JOBSERVER_CEVENT_SHIM_H
#define JOBSERVER_CEVENT_SHIM_H
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <event2/util.h>

// Two functions that the headers show only to programs that ask for GNU extensions before anything else is read.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(pthread_t, const char *);

// A write to a socket or pipe whose reader has gone is an error to handle, not a reason to end the process.
static inline void cevent_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

// How many bytes given to a TCP socket the upstream has not acknowledged; 0 when that is not known. Swift cannot call
// ioctl, which takes any number of arguments.
static inline int cevent_unacknowledged_bytes(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 && count > 0 ? count : 0;
}
#endif
