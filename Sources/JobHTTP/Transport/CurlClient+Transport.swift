internal import CurlHTTP
internal import JobKit

extension CurlClient: Transport {}
