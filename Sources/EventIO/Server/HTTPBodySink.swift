package import HTTPMessage

/// Takes the body of a request piece by piece, so that a large one needs no memory. Called on the loop of the
/// connection, and must not block.
///
/// A body that ends early, since its client has gone, is too slow or is refused, is not reported: the sink is released
/// without an exchange.
package protocol HTTPBodySink: AnyObject, Sendable {
    /// Holds the body back while it is on; nil never does.
    var backpressure: (any Backpressure)? { get }

    /// Takes the next piece, which is never empty.
    /// - Returns: the answer that refuses the request, which gets no further piece then; nil goes on.
    func take(_ bytes: Span<UInt8>) -> HTTPResponse?
}
