// libevent for Swift. <sys/types.h> comes first: libevent's own configuration header defines _GNU_SOURCE, and
// without the types read before it `fd_set` clashes with the one that Dispatch and Foundation see.
#ifndef JOBSERVER_CEVENT_SHIM_H
#define JOBSERVER_CEVENT_SHIM_H
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <event2/util.h>
#endif
