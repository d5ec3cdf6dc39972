import Dispatch
import EventIO
import JobKit
import Synchronization

// DESIGN
// Whoever logs appends a line to a buffer under a lock and goes on. The first line after a pause wakes one serial
// queue, which writes all that has gathered in one system call, and sleeps again when the buffer is empty. When
// standard error is slower than the log for long, lines are dropped, counted, and the count is written.

/// Where log lines go. Never makes the caller wait for the descriptor.
final class LogSink: Sendable {
    /// How many bytes may wait to be written.
    static let waitingBytesMax = 4 << 20

    private struct Buffer {
        var bytes: [UInt8] = []
        var dropped = 0
        var isFlushing = false
    }

    private let output: DescriptorOutput
    /// Takes secrets out of every line; nil as long as none are known.
    private let scrubber = Mutex<SecretScrubber?>(nil)
    private let buffer = Mutex(Buffer())
    private let queue = DispatchQueue(label: "jobserver.log")

    /// A sink that writes to `output`.
    init(output: DescriptorOutput) { self.output = output }

    /// Takes secrets out of what is written from now on.
    func hide(what scrubber: SecretScrubber) { self.scrubber.withLock { $0 = scrubber } }

    /// Takes one line with its line feed.
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

    /// Writes what waits, and returns when it is written.
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
