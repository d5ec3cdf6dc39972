#ifndef C_EMBEDDED_H
#define C_EMBEDDED_H

#include <stddef.h>

/// Files of the repository that the program carries. The bytes live as long as the process.
struct embedded_file {
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// openapi.yaml at the top of the repository.
struct embedded_file embedded_openapi(void);

#endif
