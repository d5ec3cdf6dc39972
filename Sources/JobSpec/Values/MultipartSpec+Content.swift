internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A form with several parts, as it is sent.
struct MultipartContent {
    /// The media type with the boundary.
    let contentType: String
    /// The content: one piece, and more around parts in files.
    let pieces: [ContentPiece]
}

extension MultipartSpec {
    private enum Body {
        case bytes([UInt8])
        case file(ContentFile)
    }

    /// The content with everything filled in. The boundary is made from `seed` and `path`, so that all attempts send
    /// the same bytes, and it is none that occurs in a part in memory.
    /// - Parameters:
    ///   - files: the parts in files, by their index.
    ///   - mark: the end of the boundary, which is in none of the files; nil makes one.
    /// - Throws: `reference.*` and `http.field`, before anything is sent.
    func content(
        lookup: Binding.Lookup, seed: String, path: [String], files: [Int: ContentFile] = [:],
        mark: String? = nil
    ) throws(AOperationError) -> MultipartContent {
        var parts: [(head: [UInt8], body: Body)] = []
        var budget = ValueBudget("The form", bytesMax: RunLimits.contentBytesMax)
        for (index, part) in self.parts.enumerated() {
            if let file = files[index] {
                let type = SentContent.partType(file.contentType, coding: file.coding)
                parts.append((head: try part.head(fitting: type, lookup), body: .file(file)))
                continue
            }
            let (type, body) = try part.content.bytes(part.name, lookup)
            // Encoded, searched for the boundary and copied.
            try lookup.meter.spend(64 + 4 * body.count, on: .making)
            try budget.take(body.count)
            parts.append((head: try part.head(fitting: type, lookup), body: .bytes(body)))
        }
        let boundary = Self.boundary(mark, seed: seed, path: path) { boundary in
            parts.contains { part in
                if part.head.firstRange(of: boundary) != nil { return true }
                guard case .bytes(let body) = part.body else { return false }
                return body.firstRange(of: boundary) != nil
            }
        }
        return MultipartContent(
            contentType: "multipart/form-data; boundary=\(String(decoding: boundary, as: UTF8.self))",
            pieces: Self.pieces(parts, boundary))
    }

    private static func pieces(
        _ parts: [(head: [UInt8], body: Body)], _ boundary: [UInt8]
    ) -> [ContentPiece] {
        var pieces: [ContentPiece] = []
        var bytes: [UInt8] = []
        let size = parts.reduce(64) { size, part in
            guard case .bytes(let body) = part.body else { return size }
            return size + part.head.count + body.count + boundary.count + 8
        }
        bytes.reserveCapacity(size)
        for part in parts {
            bytes += "--".utf8
            bytes += boundary
            bytes += "\r\n".utf8
            bytes += part.head
            bytes += "\r\n".utf8
            switch part.body {
            case .bytes(let body): bytes += body
            case .file(let file):
                pieces += [.bytes(bytes), .file(file.reader)]
                bytes = []
            }
            bytes += "\r\n".utf8
        }
        bytes += "--".utf8
        bytes += boundary
        bytes += "--\r\n".utf8
        return pieces + [.bytes(bytes)]
    }

    /// At most 70 characters (RFC 2046 §5.1.1); the last ones count up until `occurs` is false.
    private static func boundary(
        _ mark: String?, seed: String, path: [String], occurs: ([UInt8]) -> Bool
    ) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in ([seed] + path).joined(separator: "/").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        var round: UInt64 = 0
        while true {
            let digits = String(hash &+ round, radix: 16)
            let zeros = String(repeating: "0", count: max(0, 16 - digits.utf8.count))
            let end = mark.map { round == 0 ? $0 : "\($0)-\(round)" } ?? zeros + digits
            let boundary = Array("----jobserver-\(end)".utf8)
            if !occurs(boundary) { return boundary }
            round += 1
        }
    }
}

extension MultipartSpec.Content {
    /// The content, and the media type of its kind.
    fileprivate func bytes(
        _ name: String, _ lookup: Binding.Lookup
    ) throws(AOperationError) -> (type: String?, bytes: [UInt8]) {
        switch self {
        case .text(let binding):
            (nil, Array(try binding.resolveText("The part \(name)", lookup: lookup).utf8))
        case .json(let binding): ("application/json", try binding.resolve(lookup: lookup).encoded())
        case .base64(let bytes): ("application/octet-stream", bytes)
        case .artifact(let reference): try reference.resolve(lookup: lookup).asPart
        }
    }
}

extension MultipartSpec.Part {
    /// The head of the part, with the line break that ends its last field.
    fileprivate func head(
        fitting kind: String?, _ lookup: Binding.Lookup
    ) throws(AOperationError) -> [UInt8] {
        var head = "Content-Disposition: form-data; name=\"\(Self.quoted(name))\""
        var file: String?
        if let filename { file = try filename.resolveText("The file name of \(name)", lookup: lookup) }
        if let file { head += "; filename=\"\(Self.quoted(file))\"" }
        head += "\r\n"
        let type = contentType ?? kind ?? (file == nil ? nil : "text/plain; charset=utf-8")
        if let type, !type.isEmpty { head += "Content-Type: \(type)\r\n" }
        guard head.utf8.count <= Self.headBytesMax else {
            throw AOperationError(
                .httpField, detail: "The names of the part \(String(quotable: name)) are too long.")
        }
        return Array(head.utf8)
    }

    private static let headBytesMax = 8 << 10

    /// A name as encoded by browsers: quotes and line breaks are percent-encoded, everything else is unchanged.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "%22"
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}

extension [UInt8] {
    /// The first position of `part`; nil when it does not occur. `part` is not empty.
    fileprivate func firstRange(of part: [UInt8]) -> Int? {
        guard let first = part.first, count >= part.count else { return nil }
        var start = 0
        while start <= count - part.count {
            if self[start] == first, self[start..<start + part.count].elementsEqual(part) { return start }
            start += 1
        }
        return nil
    }
}
