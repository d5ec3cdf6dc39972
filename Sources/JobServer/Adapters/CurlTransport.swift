import CurlHTTP
import HTTPMessage
import JobKit

extension CurlClient: Transport {}
