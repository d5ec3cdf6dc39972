import JobKit
import StrictJSON

/// The log of the server: one JSON object a line on standard error. Never contains tokens, specs or bodies.
struct Log: Sendable {
    /// The minimum level of lines.
    let level: LogLevel
    private let sink: LogSink

    init(level: LogLevel, sink: LogSink) {
        self.level = level
        self.sink = sink
    }

    /// Whether a line of this level would be written.
    func speaks(_ level: LogLevel) -> Bool { level >= self.level }

    /// Writes one line: time, level, event, and the members that `members` adds.
    func write(_ level: LogLevel, _ event: StaticString, _ members: (inout JSONWriter) -> Void = { _ in }) {
        guard speaks(level) else { return }
        var line = JSONWriter()
        line.beginObject()
        line.member("at", SystemTime.now())
        line.member("level", level.rawValue)
        line.member("event", event.description)
        members(&line)
        line.endObject()
        sink.append(line.line())
    }

    /// Writes one line with a message for people.
    func write(_ level: LogLevel, _ event: StaticString, message: String) {
        write(level, event) { $0.member("message", message) }
    }

    /// Removes secrets from all further lines.
    func hide(what scrubber: SecretScrubber) { sink.hide(what: scrubber) }

    /// Returns when all lines are written.
    func finish() { sink.finish() }
}
