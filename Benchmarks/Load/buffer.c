#include "load.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_reserve(Buffer *buffer, size_t count) {
  if (buffer->start == buffer->end) buffer->start = buffer->end = 0;
  if (buffer->end + count <= buffer->room) return;
  if (buffer->start) {
    memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->end - buffer->start);
    buffer->end -= buffer->start;
    buffer->start = 0;
  }
  if (buffer->end + count <= buffer->room) return;
  buffer->room = (buffer->end + count) * 2;
  buffer->bytes = realloc(buffer->bytes, buffer->room);
  if (!buffer->bytes) fail("no memory for %zu bytes", buffer->room);
}

void buffer_add(Buffer *buffer, const void *bytes, size_t count) {
  buffer_reserve(buffer, count);
  memcpy(buffer->bytes + buffer->end, bytes, count);
  buffer->end += count;
}

void buffer_text(Buffer *buffer, const char *text) { buffer_add(buffer, text, strlen(text)); }

void buffer_format(Buffer *buffer, const char *format, ...) {
  char text[2048];
  va_list values;
  va_start(values, format);
  int count = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (count < 0 || (size_t)count >= sizeof text) fail("text too long");
  buffer_add(buffer, text, (size_t)count);
}

void buffer_integer(Buffer *buffer, uint64_t value, int bytes) {
  char text[8];
  for (int i = 0; i < bytes; i++) text[i] = (char)(value >> (8 * (bytes - 1 - i)));
  buffer_add(buffer, text, (size_t)bytes);
}

uint64_t integer_at(const char *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value = value << 8 | (unsigned char)bytes[i];
  return value;
}
