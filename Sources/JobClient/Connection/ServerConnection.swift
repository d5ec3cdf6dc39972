internal import Commands
internal import CurlHTTP
internal import EventIO
internal import HTTPMessage
import Synchronization

/// The requests to one server. A server that restarts is waited for, once it has answered.
final class ServerConnection: Sendable {
    let address: ServerAddress
    private let client: CurlClient
    private let loop: EventLoop
    /// Whether the server has answered a request.
    private let hasAnswered = Atomic(false)

    /// The time for which a server that has answered before may be away.
    private static let absenceMax = Duration.seconds(600)
    private static let pauseMax = Duration.seconds(2)
    private static let contentBytesMax = 1 << 50
    private static let callTime = Duration.seconds(366 * 86_400)

    init(_ address: ServerAddress) throws(CommandFailure) {
        self.address = address
        do throws(EventIOError) { loop = try EventLoop(name: "client") } catch {
            throw CommandFailure(code: .failure, text: error.description)
        }
        client = CurlClient(
            loop: loop, allows: { _, _ in true }, userAgent: "jobserver/\(Version.text)",
            authoritiesFile: address.authorities)
        loop.start()
    }

    /// Sends a request and returns its answer, with any status.
    ///
    /// The first request fails at once when no server answers. Later ones wait for a server that restarts, if they may
    /// be sent again; so do those that are refused because the server is busy or about to stop.
    /// - Throws: `.unreachable`
    func send(_ request: ServerRequest) async throws(CommandFailure) -> ServerAnswer {
        let end = min(request.giveUpAt ?? .now + Self.absenceMax, .now + Self.absenceMax)
        var pause = Duration.milliseconds(100)
        while true {
            do throws(HTTPCallFailure) {
                let answer = try await client.send(call(request))
                hasAnswered.store(true, ordering: .relaxed)
                let answered = ServerAnswer(status: answer.status, fields: answer.fields, body: answer.body)
                guard let wait = answered.pause, ContinuousClock.now + wait < end else {
                    return answered
                }
                try? await Task.sleep(for: max(wait, pause))
            } catch {
                if error.delivery == .answered { hasAnswered.store(true, ordering: .relaxed) }
                guard hasAnswered.load(ordering: .relaxed), error.code != ResultSink.code,
                    request.isRepeatable || error.delivery == .notSent, ContinuousClock.now < end
                else { throw failure(error) }
                try? await Task.sleep(for: pause)
            }
            pause = min(pause * 2, Self.pauseMax)
        }
    }

    /// Sends a request whose answer is taken by a sink, again when the connection breaks in the middle of it.
    /// - Parameters:
    ///   - next: the request, which asks for what has not arrived.
    ///   - arrived: the amount that has arrived.
    /// - Throws: `.unreachable`
    func sendResuming(
        _ next: () -> ServerRequest, arrived: () -> Int
    ) async throws(CommandFailure) -> ServerAnswer {
        var end = ContinuousClock.now + Self.absenceMax
        while true {
            let before = arrived()
            var request = next()
            // The request of a resumption differs.
            request.isRepeatable = false
            request.giveUpAt = end
            do throws(CommandFailure) { return try await send(request) } catch {
                if arrived() > before { end = .now + Self.absenceMax }
                guard hasAnswered.load(ordering: .relaxed), error.code == .unreachable, .now < end
                else { throw error }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Sends a request and returns its answer.
    /// - Throws: the error that an unsuccessful answer reports.
    func read(_ request: ServerRequest) async throws(CommandFailure) -> ServerAnswer {
        let answer = try await send(request)
        guard answer.isSuccess else { throw answer.failure(address) }
        return answer
    }

    /// Sends a request once and returns its answer, with any status.
    /// - Throws: `.unreachable`
    func once(_ request: ServerRequest) async throws(CommandFailure) -> ServerAnswer {
        do throws(HTTPCallFailure) {
            let answer = try await client.send(call(request))
            return ServerAnswer(status: answer.status, fields: answer.fields, body: answer.body)
        } catch { throw failure(error) }
    }

    private func call(_ request: ServerRequest) -> HTTPCall {
        var call = HTTPCall(
            method: request.method, url: address.url + request.path, fields: request.fields,
            body: request.body)
        if let token = address.token { call.fields.append(("Authorization", "Bearer \(token)")) }
        if !request.fields.contains(where: { $0.name == "Accept" }) { call.fields.append(("Accept", "*/*")) }
        call.source = request.source
        call.sink = request.sink
        call.firstByteTimeout = request.patience
        call.stallTimeout = .seconds(60)
        call.attemptTimeout = Self.callTime
        call.answerBytesMax = Self.contentBytesMax
        call.route.compression = false
        return call
    }

    private func failure(_ error: HTTPCallFailure) -> CommandFailure {
        if error.code == ResultSink.code { return CommandFailure(code: .failure, text: error.detail) }
        let remedy =
            error.code.hasPrefix("connect.") || error.code.hasPrefix("dns.")
            ? "Start one with: jobserver serve, or say where it is: --url URL, or JOBSERVER_URL."
            : error.suggestion ?? "Check the address: --url URL, or JOBSERVER_URL."
        return CommandFailure(
            code: .unreachable, text: "No jobserver answers at \(address.url): \(error.detail)\n\(remedy)")
    }
}
