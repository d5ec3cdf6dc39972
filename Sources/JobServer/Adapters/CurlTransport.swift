import CurlHTTP
import HTTPMessage
import JobKit

/// Calls are made by libcurl on the engine's loop.
extension CurlClient: Transport {}
