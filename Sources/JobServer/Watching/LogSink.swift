import Dispatch
import EventIO
import JobKit
import Synchronization

// DESIGN
// A caller appends its line to a buffer under a lock and continues. The first line after a pause wakes one serial
// queue, which writes the whole buffer in one system call, and sleeps again when the buffer is empty. If standard error
// stays slower than the log, lines are dropped and counted, and the count is written.

/// The output of log lines. Never blocks the caller on the descriptor.
final class LogSink: Sendable {
    /// The maximum number of buffered bytes.
    static let waitingBytesMax = 4 << 20

    private struct Buffer {
        var bytes: [UInt8] = []
        var dropped = 0
        var isFlushing = false
    }

    private let output: DescriptorOutput
    /// Removes secrets from every line; nil until it is set.
    private let scrubber = Mutex<SecretScrubber?>(nil)
    private let buffer = Mutex(Buffer())
    private let queue = DispatchQueue(label: "jobserver.log")

    init(output: DescriptorOutput) { self.output = output }

    /// Removes secrets from all further lines.
    func hide(what scrubber: SecretScrubber) { self.scrubber.withLock { $0 = scrubber } }

    /// Appends one line, which includes its line feed.
    func append(_ line: [UInt8]) {
        let line = scrubber.withLock { $0 }?.scrubbed(line) ?? line
        let mustWake = buffer.withLock { buffer in
            guard buffer.bytes.count + line.count <= LogSink.waitingBytesMax else {
                buffer.dropped += 1
                return false
            }
            buffer.bytes += line
            defer { buffer.isFlushing = true }
            return !buffer.isFlushing
        }
        if mustWake { queue.async { self.flush() } }
    }

    /// Writes the buffered lines and returns when they are written.
    func finish() {
        queue.sync { flush() }
    }

    private func flush() {
        while let (bytes, dropped) = take() {
            output.write(bytes)
            if dropped > 0 {
                output.write(
                    Array(#"{"level":"warning","event":"log_lines_dropped","count":\#(dropped)}"#.utf8) + [
                        0x0A
                    ])
            }
        }
    }

    private func take() -> ([UInt8], Int)? {
        buffer.withLock { buffer in
            guard !buffer.bytes.isEmpty else {
                buffer.isFlushing = false
                return nil
            }
            let taken = (buffer.bytes, buffer.dropped)
            buffer.bytes = []
            buffer.dropped = 0
            return taken
        }
    }
}
