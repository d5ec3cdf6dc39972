import EventIO
import HTTPMessage
import JobKit
import StrictJSON

extension LoopDoor {
    /// The client of a request: its token, or else its address.
    /// - Parameter caller: whose request it is, as far as that is known.
    func client(_ head: HTTPRequestHead, _ peer: PeerAddress, _ caller: Caller) -> Client {
        if let name = tokenName(head, caller) { return .token(name) }
        return .address(server.entrance.client(of: head, from: peer))
    }

    func logAnswer(
        _ head: HTTPRequestHead, _ peer: PeerAddress, _ response: HTTPResponse, since start: Timestamp,
        by caller: Caller? = nil
    ) {
        guard server.log.speaks(server.entrance.logLevel) else { return }
        let now = SystemTime.now()
        server.log.write(server.entrance.logLevel, "request") { line in
            if let id = response.requestID { line.member("request_id", id) }
            line.member("method", head.method.description)
            line.member("path", String(decoding: CallbackPath.shown(head.target.pathBytes), as: UTF8.self))
            Self.add(response, isHead: head.method == .head, to: &line)
            line.member("milliseconds", now.since(start).wholeMilliseconds)
            line.member("client", server.entrance.client(of: head, from: peer).description)
            if let name = tokenName(head, caller) { line.member("token", name) }
            if let user = server.entrance.user(of: head, from: peer) {
                line.member("user", user)
            }
        }
    }

    /// Logs the answer to input that is not a valid request.
    func logAnswer(to refusal: ListenerRefusal, _ peer: PeerAddress, _ response: HTTPResponse) {
        guard server.log.speaks(server.entrance.logLevel) else { return }
        server.log.write(server.entrance.logLevel, "request") { line in
            if let id = response.requestID { line.member("request_id", id) }
            Self.add(response, isHead: false, to: &line)
            line.member("client", peer.address.description)
            line.member("code", refusal.code)
        }
    }

    private static func add(_ response: HTTPResponse, isHead: Bool, to line: inout JSONWriter) {
        line.member("status", Int64(response.status.code))
        if let bytes = isHead ? 0 : response.body.length { line.member("bytes", Int64(bytes)) }
    }

    /// The name of the token that a request carries; nil when it is unknown or no token is required. It is looked up
    /// where the caller does not tell: the request was refused, or its route asks for no token.
    private func tokenName(_ head: HTTPRequestHead, _ caller: Caller?) -> String? {
        guard server.gate.asksForToken else { return nil }
        if let caller, !caller.name.isEmpty { return caller.name }
        return server.gate.entry(of: head)?.name
    }
}
