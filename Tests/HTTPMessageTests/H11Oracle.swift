import Foundation

/// The Python package h11, an independent HTTP/1.1 implementation, as an oracle for raw requests.
///
/// One line per input comes back in the notation of `Reading`.
enum H11Oracle {
    /// A failure of the oracle.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let script = """
        import sys
        try:
            import h11
        except ImportError:
            sys.exit("the Python package h11 is missing; install it with: .ci/install test")

        def read(data):
            out = []
            if not data:
                return ["N"]
            conn = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 16)
            conn.receive_data(data)
            while True:
                try:
                    event = conn.next_event()
                except h11.RemoteProtocolError:
                    out.append("F")
                    return out
                if event is h11.NEED_DATA:
                    out.append("N")
                    return out
                if isinstance(event, h11.Request):
                    fields = ",".join(n.hex() + ":" + v.hex() for n, v in event.headers)
                    waits = "x" if conn.they_are_waiting_for_100_continue else "-"
                    out.append("H %s %s %s %s %s" % (event.method.hex(), event.target.hex(),
                        event.http_version.decode()[-1], waits, fields))
                elif isinstance(event, h11.Data):
                    if not event.data:
                        continue
                    if out and out[-1].startswith("B "):
                        out[-1] += bytes(event.data).hex()
                    else:
                        out.append("B " + bytes(event.data).hex())
                elif isinstance(event, h11.EndOfMessage):
                    out.append("E")
                    conn.send(h11.Response(status_code=400, headers=[("content-length", "0")]))
                    conn.send(h11.EndOfMessage())
                    if conn.our_state is h11.MUST_CLOSE:
                        out.append("closed")
                        return out
                    conn.start_next_cycle()
                else:
                    out.append("other " + type(event).__name__)
                    return out

        for line in sys.stdin:
            print("|".join(read(bytes.fromhex(line.strip()))))
        """

    /// The Python that has the tools of the tests.
    private static let python = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/venv/bin/python")

    /// The reading of each input by h11.
    static func readings(of inputs: [[UInt8]]) throws -> [String] {
        let process = Process()
        process.executableURL = python
        process.arguments = ["-c", script]
        let directory = FileManager.default.temporaryDirectory
        let question = directory.appending(path: "h11-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: question) }
        try Data((inputs.map(hex).joined(separator: "\n") + "\n").utf8).write(to: question)
        let answer = Pipe()
        let errors = Pipe()
        process.standardInput = try FileHandle(forReadingFrom: question)
        process.standardOutput = answer
        process.standardError = errors
        try process.run()
        let output = try answer.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "h11 could not be asked: " + String(decoding: complaints, as: UTF8.self))
        }
        let lines = String(decoding: output, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == inputs.count + 1 else {
            throw Failure(description: "h11 gave \(lines.count - 1) answers to \(inputs.count) questions")
        }
        return lines.dropLast().map(String.init)
    }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
