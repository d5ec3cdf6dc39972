// zlib for Swift, which does not see macros with arguments.
#ifndef JOBSERVER_CZLIB_SHIM_H
#define JOBSERVER_CZLIB_SHIM_H
#include <string.h>
#include <zlib.h>

static inline int jobserver_inflate_begin(z_stream *stream, int window_bits) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, window_bits);
}

static inline int jobserver_deflate_begin(z_stream *stream, int window_bits) {
    memset(stream, 0, sizeof *stream);
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
}
#endif
