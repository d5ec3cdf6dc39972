import HTTPMessage
import JobKit
import StrictJSON
import Synchronization

/// Content that may still be arriving as the content of an answer, which ends with it.
final class LiveBody: HTTPBodySource {
    /// The form in which pieces are sent.
    enum Form: Sendable {
        /// As they are. An end that is not the whole content cuts the connection.
        case bytes
        /// As events of an event stream: `data`, and `control` with the position behind it.
        case events(isText: Bool)
    }

    /// The longest silence of an event stream.
    private static let silence = Duration.seconds(15)

    private struct Place {
        var position: LivePosition
        /// The piece that was read already.
        var first: LivePiece?
        var isOver = false
        /// The bytes of a character that is not whole yet.
        var cut: [UInt8] = []
    }

    private let reading: LiveReading
    private let form: Form
    private let place: Mutex<Place>

    /// - Parameter first: its first piece, if it was read already.
    init(_ reading: LiveReading, _ form: Form, from position: LivePosition, first: LivePiece?) {
        self.reading = reading
        self.form = form
        place = Mutex(Place(position: position, first: first))
    }

    func next() async throws -> [UInt8]? {
        let (position, first, isOver) = place.withLock { place in
            defer { place.first = nil }
            return (place.position, place.first, place.isOver)
        }
        if isOver {
            reading.leave()
            return nil
        }
        do {
            var piece = first
            if piece == nil { piece = try await reading.piece(after: position, patience: Self.silence) }
            guard let piece else {
                if reading.isClosed { throw Problem(.shuttingDown, "The server is stopping.") }
                if case .bytes = form { return [] }
                return Array(": waiting\n\n".utf8)
            }
            place.withLock { place in
                place.position = piece.next
                place.isOver = piece.isWhole && piece.isLast
            }
            guard case .events(let isText) = form else { return piece.bytes }
            return events(piece, isText: isText)
        } catch {
            reading.leave()
            guard case .events = form, let problem = error as? Problem else { throw error }
            place.withLock { $0.isOver = true }
            return failed(problem)
        }
    }

    func cancel() { reading.leave() }

    /// The event stream of content that has not begun in time: its client connects again.
    static func nothing(after position: LivePosition) -> HTTPResponse {
        HTTPResponse(
            status: .ok, fields: LiveResult.eventFields,
            body: .bytes(control(position, isLast: true, isOver: false)))
    }

    private static func control(_ position: LivePosition, isLast: Bool, isOver: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("streamNextOffset", position.text)
        if isLast { json.member("upToDate", true) }
        if isOver { json.member("streamClosed", true) }
        json.endObject()
        return Array("event: control\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }

    // MARK: Events

    /// The events of a piece, of a protocol for streams: https://github.com/durable-streams/durable-streams, §5.8.
    private func events(_ piece: LivePiece, isText: Bool) -> [UInt8] {
        let isOver = piece.isWhole && piece.isLast
        var (text, position) = ([UInt8](), piece.next)
        var bytes = piece.bytes
        if isText {
            bytes = place.withLock { place in
                let all = place.cut + bytes
                let count = isOver ? all.count : all.wholeCharacters
                place.cut = Array(all[count...])
                position.offset = piece.end - place.cut.count
                return Array(all[..<count])
            }
        }
        if !bytes.isEmpty {
            text += "event: data\n".utf8
            let lines = isText ? bytes.linesOfEvent : [Base64.encode(bytes)[...]]
            for line in lines { text += Array("data: ".utf8) + line + [0x0A] }
            text.append(0x0A)
        }
        return text + Self.control(position, isLast: piece.isLast, isOver: isOver)
    }

    private func failed(_ problem: Problem) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("code", problem.kind.code)
        json.member("detail", problem.detail)
        json.endObject()
        return Array("event: error\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}

extension [UInt8] {
    /// The length without the beginning of a UTF-8 character at the end.
    fileprivate var wholeCharacters: Int {
        for back in 1...3 where back <= count {
            let byte = self[count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? count - back : count
        }
        return count
    }

    /// The lines that an event has for this text. A carriage return would end a line, too.
    fileprivate var linesOfEvent: [ArraySlice<UInt8>] {
        var (lines, start, index) = ([ArraySlice<UInt8>](), startIndex, startIndex)
        while index < endIndex {
            let byte = self[index]
            if byte == 0x0A || byte == 0x0D {
                lines.append(self[start..<index])
                if byte == 0x0D, index + 1 < endIndex, self[index + 1] == 0x0A { index += 1 }
                start = index + 1
            }
            index += 1
        }
        lines.append(self[start...])
        return lines
    }
}
