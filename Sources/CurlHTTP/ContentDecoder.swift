import HTTPMessage

// DESIGN
// libcurl can unpack content, but it takes the end of the content for the end of the coding, so that content that was
// cut off inside a gzip counts as whole. It also stops at the second member of a gzip. So libcurl hands content on as
// it came, and it is unpacked here, where the end of each coding is asked for.

/// Undoes the codings of one answer's content, piece by piece, the one that was applied last first.
@safe
final class ContentDecoder {
    /// What is asked for in `Accept-Encoding`.
    static let accepted = "deflate, gzip, br, zstd"
    /// So many codings one content may have.
    private static let codingsMax = 5
    /// What may arrive without anything to show for it, such as the heads of codings.
    private static let freeArrival = 16 << 10

    private let stages: [any ContentUnpacker]
    private let names: [String]
    private let limits: CurlLimits
    private var arrived = 0
    /// What each stage but the last has given to the next.
    private var made: [Int]

    /// - Parameter codings: in the order in which they were applied.
    init(_ codings: [String], _ limits: CurlLimits) throws(CodingFault) {
        guard codings.count <= Self.codingsMax else { throw .tooMany(codings.count) }
        var stages: [any ContentUnpacker] = []
        for coding in codings.reversed() {
            switch coding {
            case "gzip", "x-gzip": stages.append(InflateUnpacker(isGzip: true))
            case "deflate": stages.append(InflateUnpacker(isGzip: false))
            case "br": stages.append(BrotliUnpacker())
            case "zstd": stages.append(ZstdUnpacker())
            default: throw .unknown(coding)
            }
        }
        self.stages = stages
        names = codings.reversed()
        made = Array(repeating: 0, count: stages.count)
        self.limits = limits
    }

    /// The codings that the fields with this name, in small letters, list, in order, without those that change nothing.
    static func codings(_ name: String, in fields: [(name: String, value: String)]) -> [String] {
        var codings: [String] = []
        for field in fields where field.name.utf8.count == name.utf8.count && field.name.lowercased() == name
        {
            for part in field.value.split(separator: ",") {
                let coding = part.filter { $0 != " " && $0 != "\t" }.lowercased()
                if !["", "identity", "chunked"].contains(coding) { codings.append(coding) }
            }
        }
        return codings
    }

    /// Unpacks a piece, and hands what comes of it to `put`.
    func take(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        arrived += piece.count
        try unsafe feed(piece, to: 0, put)
    }

    /// The content is over.
    func finish() throws(CodingFault) {
        // No content is no content in any coding, where its end was announced.
        guard arrived > 0 else { return }
        for (stage, name) in zip(stages, names) where !stage.isComplete { throw .truncated(name) }
    }

    private func feed(
        _ piece: UnsafeRawBufferPointer, to stage: Int,
        _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        guard stage < stages.count else { return try unsafe put(piece) }
        try unsafe stages[stage].unpack(piece) { (unpacked) throws(CodingFault) in
            made[stage] += unpacked.count
            // Who takes the content looks at the size of the last stage.
            let isFree = stage == stages.count - 1 || made[stage] <= limits.expansionFreeBytes
            guard isFree || made[stage] / max(1, limits.expansionRatioMax) <= arrived + Self.freeArrival
            else { throw .expandsTooMuch }
            try unsafe feed(unpacked, to: stage + 1, put)
        }
    }
}
