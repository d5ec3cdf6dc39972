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

/// One of the files of the page.
struct embedded_page_file {
  /// The path below Sources/Page.
  const char *_Nonnull path;
  struct embedded_file content;
};

/// The number of files of the page.
size_t embedded_page_count(void);

/// The file with this number, from 0.
struct embedded_page_file embedded_page(size_t index);

/// The commit of the build; empty when it is unknown.
const char *_Nonnull embedded_commit(void);

/// The date of the build, such as 2026-11-26; empty when it is unknown.
const char *_Nonnull embedded_date(void);

#endif
