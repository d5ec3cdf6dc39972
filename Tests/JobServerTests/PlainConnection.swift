import FaultyHTTP
import Foundation

/// A connection to a port of this machine, for one request. It waits for the server as long as the tests let curl wait.
final class PlainConnection {
    private static let secondsMax = 70

    private let descriptor: CInt
    private var received: [UInt8] = []

    /// Nil when it is refused.
    init?(port: Int) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Self.secondsMax, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
        var status: CInt = -1
        unsafe FaultServer.withAddress(port: port) { status = unsafe connect(descriptor, $0, $1) }
        if status != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Shuts down the sending side; answers can still be read.
    func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Whether something of an answer has come.
    var hasAnswer: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// The answer as far as it came; interim ones are skipped.
    func readAnswer(isHead: Bool) -> LiveServer.Answer {
        var answer = LiveServer.Answer()
        repeat {
            guard let head = take(through: "\r\n\r\n") else { return answer }
            answer = LiveServer.Answer(head: head)
        } while (100..<200).contains(answer.status)
        if isHead || [204, 304].contains(answer.status) { return answer }
        if answer.field("transfer-encoding")?.lowercased() == "chunked" {
            answer.body = readChunks()
        } else {
            answer.body = Data(take(answer.field("content-length").flatMap { Int($0) } ?? .max))
        }
        return answer
    }

    private func readChunks() -> Data {
        var content = Data()
        while let line = take(through: "\r\n"),
            let count = Int(line.prefix { $0.isHexDigit }, radix: 16), count > 0
        {
            content += take(count)
            _ = take(2)
        }
        return content
    }

    /// The text up to a mark, which is taken as well; nil when the connection ends before.
    private func take(through mark: String) -> String? {
        let bytes = Array(mark.utf8)
        while true {
            if let found = received.firstRange(of: bytes) {
                let text = String(decoding: received[..<found.lowerBound], as: UTF8.self)
                received.removeFirst(found.upperBound)
                return text
            }
            guard receive() else { return nil }
        }
    }

    /// This many bytes, fewer when the connection ends before.
    private func take(_ count: Int) -> [UInt8] {
        while received.count < count, receive() {}
        let taken = Array(received.prefix(count))
        received.removeFirst(taken.count)
        return taken
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            received += buffer[..<count]
            return true
        }
    }
}
