import EventIO
import Foundation
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `The log` {
    private func lines(_ level: LogLevel, _ write: (Log) -> Void) throws -> [JSONValue] {
        let pipe = Pipe()
        let sink = LogSink(output: DescriptorOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        let log = Log(level: level, sink: sink)
        write(log)
        log.finish()
        try pipe.fileHandleForWriting.close()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        return try data.split(separator: 0x0A).map { try JSONParser.parse(Array($0)) }
    }

    @Test func `is one JSON object a line, in order`() throws {
        let lines = try lines(.info) { log in
            for number in 0..<100 {
                log.write(.info, "counted") { $0.member("number", number) }
            }
        }
        #expect(lines.map { $0.object?["number"]?.number?.int64 } == (0..<100).map { Int64($0) })
        #expect(lines.first?.object?["event"] == "counted")
        #expect(lines.first?.object?["level"] == "info")
    }

    @Test func `keeps quiet below its level`() throws {
        let lines = try lines(.warning) { log in
            log.write(.debug, "a")
            log.write(.info, "b")
            log.write(.warning, "c")
            log.write(.error, "d", message: "two\nlines")
        }
        #expect(lines.map { $0.object?["event"]?.string } == ["c", "d"])
        #expect(lines.last?.object?["message"] == "two\nlines")
    }
}
