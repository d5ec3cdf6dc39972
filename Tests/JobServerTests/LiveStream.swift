import Foundation
import StrictJSON
import Synchronization

/// An event stream of a server, read with curl.
final class LiveStream {
    /// One event.
    struct Event: Sendable {
        var name = "message"
        var id = ""
        var text = ""

        /// The data as JSON; null when it is not JSON.
        var json: JSONValue { (try? JSONParser.parse(Array(text.utf8))) ?? .null }
        func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: json) }
    }

    private let process = Process()
    private let output = Pipe()
    private var rest = ""
    private var isOver = false

    init(_ server: LiveServer, _ path: String, headers: [String] = []) throws {
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments =
            ["-sN", "--max-time", "30", "-H", "Accept: text/event-stream"]
            + headers.flatMap { ["-H", $0] } + [server.url + path]
        process.environment = ["PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit { close() }

    /// Disconnects.
    func close() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The next event; nil when the stream has ended.
    func next() -> Event? {
        while true {
            if let end = rest.range(of: "\n\n") {
                let lines = rest[..<end.lowerBound].split(separator: "\n")
                rest = String(rest[end.upperBound...])
                var event = Event()
                for line in lines {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    let value = line[line.index(after: colon)...].drop { $0 == " " }
                    switch line[..<colon] {
                    case "event": event.name = String(value)
                    case "id": event.id = String(value)
                    case "data": event.text += value
                    default: break
                    }
                }
                return event
            }
            if isOver { return nil }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { isOver = true } else { rest += String(decoding: data, as: UTF8.self) }
        }
    }

    /// The events up to the first that fits, which is the last of them; all when none fits.
    func events(until fits: (Event) -> Bool) -> [Event] {
        var found: [Event] = []
        while let event = next() {
            found.append(event)
            if fits(event) { break }
        }
        return found
    }
}
