import Foundation
import Synchronization

/// One connection of a `FaultServer`, controlled by its script. When the script returns, the connection closes.
package final class FaultConnection: Sendable {
    private let descriptor: CInt
    private let note: @Sendable (String) -> Void
    private let pending = Mutex([UInt8]())

    init(_ descriptor: CInt, note: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.note = note
    }

    /// Reads one request with its content and returns it; nil when the peer has disconnected.
    @discardableResult
    package func readRequest() -> String? {
        pending.withLock { pending in
            var total: Int?
            while true {
                if total == nil, let range = pending.firstRange(of: Array("\r\n\r\n".utf8)) {
                    let head = String(decoding: pending[..<range.upperBound], as: UTF8.self)
                    total = range.upperBound + contentLength(head)
                }
                if let total, pending.count >= total {
                    let request = String(decoding: pending[..<total], as: UTF8.self)
                    pending.removeFirst(total)
                    note(request)
                    return request
                }
                guard let more = receive() else { return nil }
                pending += more
            }
        }
    }

    /// Sends text verbatim.
    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes verbatim.
    package func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, 0)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends a complete answer.
    package func answer(_ content: String, status: String = "200 OK", fields: String = "") {
        send("HTTP/1.1 \(status)\r\nContent-Length: \(content.utf8.count)\r\n\(fields)\r\n\(content)")
    }

    /// Answers every request of this connection alike, until the peer leaves.
    package func answerAll(_ content: String, status: String = "200 OK", fields: String = "") {
        while readRequest() != nil { answer(content, status: status, fields: fields) }
    }

    /// Reads the next input; false when the peer has disconnected.
    @discardableResult
    package func readSome() -> Bool { receive() != nil }

    /// Waits until the peer closes.
    package func waitForClose() {
        while receive() != nil {}
    }

    /// Does nothing for a while.
    package func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Turns the next close into a reset.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    private func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private func contentLength(_ head: String) -> Int {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
