@_exported public import HTTPMessage
@_exported public import JobKit
internal import CurlHTTP
internal import EventIO
internal import Synchronization

/// Makes calls with libcurl, on a thread of its own.
///
/// ```swift
/// let queue = AOperationQueue(transport: .curl)
/// let repo = try await queue.add(NetworkDataOperation(url: "https://…", as: Repo.self)).value
/// ```
///
/// The thread starts with the first call. It ends after `close()`, or after the transport was released, as soon as no
/// call is in flight. Connections are reused, HTTP/2 is used where a TLS server offers it, and content is decoded
/// (gzip, deflate, brotli, zstd). The environment, cookies and `.netrc` have no influence; a proxy is used where the
/// route of a call names one.
public final class CurlTransport: Transport {
    /// The settings of a transport.
    public struct Settings: Sendable, Hashable {
        /// The addresses that calls may reach, checked for every connection and every redirect; nil, the default,
        /// permits all. `EgressPolicy()` permits public addresses only.
        public var egress: EgressPolicy?
        /// The path of a PEM file with certificate authorities to trust instead of the system's.
        public var authoritiesFile: String?
        /// The `User-Agent` of calls without one.
        public var userAgent: String
        /// The maximum number of connections to one host and port, idle ones included; further calls wait in line,
        /// which `HTTPCall.connectTimeout` does not count. Default 256.
        public var connectionsPerHostMax = 256
        /// The maximum number of connections that carry calls; further calls wait in line. Default 1,024.
        public var connectionsMax = 1_024

        /// Settings.
        public init(
            egress: EgressPolicy? = nil, authoritiesFile: String? = nil, userAgent: String = "JobKit"
        ) {
            self.egress = egress
            self.authoritiesFile = authoritiesFile
            self.userAgent = userAgent
        }
    }

    /// The transport that `.curl` names: one for the program, with the default settings.
    public static let shared = CurlTransport()

    /// The settings.
    public let settings: Settings
    private let worker = Mutex<CurlWorker?>(nil)

    /// A transport, which takes no resources before its first call.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Sends one request and returns the answer, of any status. The limits of `call` hold whatever the upstream does.
    ///
    /// - Throws: what went wrong, in which phase, and whether the upstream may have acted.
    public func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        // Kept until the end of the call: the loop ends with its last reference.
        let worker = try startedWorker()
        defer { withExtendedLifetime(worker) {} }
        return try await worker.client.send(call)
    }

    /// Returns when the host is reachable.
    ///
    /// - Throws: the reason why it is not.
    public func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        let worker = try startedWorker()
        defer { withExtendedLifetime(worker) {} }
        try await worker.client.reach(probe)
    }

    /// Cancels the calls in flight, closes all connections and ends the thread. A later call begins anew.
    public func close() async {
        let worker = worker.withLock { worker in
            defer { worker = nil }
            return worker
        }
        await worker?.client.close()
    }

    /// The loop that makes calls; nil while there is none.
    var loop: EventLoop? { worker.withLock { $0?.loop } }

    private func startedWorker() throws(HTTPCallFailure) -> CurlWorker {
        let started = worker.withLock { worker -> Result<CurlWorker, EventIOError> in
            if let worker { return .success(worker) }
            do throws(EventIOError) {
                let made = try CurlWorker(settings)
                worker = made
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        do throws(EventIOError) { return try started.get() } catch {
            throw HTTPCallFailure(
                code: "internal.transport", detail: "The call cannot begin. \(error.description)",
                suggestion: "Look at the limits of the process (ulimit -a).", phase: .connect,
                delivery: .notSent)
        }
    }
}

extension Transport where Self == CurlTransport {
    /// libcurl with the default settings, one for the program: `CurlTransport.shared`.
    public static var curl: CurlTransport { .shared }

    /// libcurl with these settings, a new one.
    public static func curl(_ settings: CurlTransport.Settings) -> CurlTransport { CurlTransport(settings) }
}
