#include "CEmbedded.h"

// #embed (C23 §6.10.4) takes milliseconds and makes the file a dependency of the build. SwiftPM's embedInCode writes
// a Swift array literal, which takes the compiler seconds.

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../../openapi.yaml"
};

struct embedded_file embedded_openapi(void) {
  return (struct embedded_file){openapi, sizeof openapi};
}
