import Dispatch
import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization

/// An upstream that is told a callback URL with each order, as JSON at `/notify_url`.
final class Printer: Sendable {
    struct NotCalled: Error {}

    private let urls = Mutex<[String]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    private let running = Mutex<FaultServer?>(nil)

    /// - Parameter status: the answers to orders.
    init(status: String = "200 OK") {
        let server = FaultServer { [self] connection, _ in
            while let request = connection.readRequest() {
                let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
                let value = try? JSONParser.parse(Array(body.utf8))
                urls.withLock { $0.append(value?.object?["notify_url"]?.string ?? "") }
                // An upstream may say what it was sent.
                connection.answer(body, status: status, fields: "Content-Type: application/json\r\n")
                arrivals.signal()
            }
        }
        running.withLock { $0 = server }
    }

    func stop() { running.withLock { $0 }?.stop() }

    var url: String { running.withLock { $0 }?.url("/orders") ?? "" }

    /// The path of the next callback URL.
    func next() throws -> String {
        guard arrivals.wait(timeout: .now() + 20) == .success else { throw NotCalled() }
        let url = urls.withLock { $0.removeFirst() }
        return String(url.dropFirst(LiveCallbackURLs.base.count))
    }
}

/// The address at which others would reach a server.
enum LiveCallbackURLs {
    static let base = "https://callbacks.example"
    static let flags = ["--public-url", base + "/"]
}
