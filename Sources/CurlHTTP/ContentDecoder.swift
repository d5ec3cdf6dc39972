import HTTPMessage

// DESIGN
// libcurl can decode content, but it accepts the end of the content as the end of the coding, so that content cut off
// inside a gzip counts as complete. It also stops at the second member of a gzip. So libcurl passes content on as it
// arrives, and it is decoded here, where the end of each coding is checked.

/// Undoes the codings of a response's content, piece by piece, in reverse order of their application.
@safe
final class ContentDecoder {
    /// The value of `Accept-Encoding`.
    static let accepted = "deflate, gzip, br, zstd"
    /// The maximum number of codings of one content.
    private static let codingsMax = 5
    /// The bytes that may arrive without output, such as the headers of codings.
    private static let freeArrival = 16 << 10

    private let stages: [any ContentUnpacker]
    private let names: [String]
    private let limits: CurlLimits
    private var arrived = 0
    /// The bytes that are good to take at once: few, as long as they become many. Those of a gzip become at most a
    /// thousand times as many.
    private(set) var sliceBytes = 256
    private static let slices = 64...512
    /// The output of one slice that is aimed at.
    private static let sliceOutput = 64 << 10
    /// The output of each stage.
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

    /// Refuses a transfer coding other than chunked, which no request asks for (RFC 9112 §7.4). Newer versions of
    /// libcurl refuse it themselves.
    static func refuseTransferCoding(in fields: [(name: String, value: String)]) throws(CodingFault) {
        guard codings("transfer-encoding", in: fields).isEmpty else { throw .transferIsCoded }
    }

    /// The codings listed by the fields with this lower-case name, in order, without the identity, which some servers
    /// call "none" where it is about the content.
    static func codings(_ name: String, in fields: [(name: String, value: String)]) -> [String] {
        var codings: [String] = []
        for field in fields where field.name.utf8.count == name.utf8.count && field.name.lowercased() == name
        {
            for part in field.value.split(separator: ",") {
                let coding = part.filter { $0 != " " && $0 != "\t" }.lowercased()
                let isNone = coding == "none" && name == "content-encoding"
                if !isNone, !["", "identity", "chunked"].contains(coding) { codings.append(coding) }
            }
        }
        return codings
    }

    /// Decodes a piece, and passes the output to `put`.
    func take(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        arrived += piece.count
        var count = 0
        try unsafe feed(piece, to: 0) { (unpacked) throws(CodingFault) in
            count += unpacked.count
            try unsafe put(unpacked)
        }
        let fitting = Self.sliceOutput * piece.count / max(1, count)
        sliceBytes = min(max(fitting, Self.slices.lowerBound), Self.slices.upperBound)
    }

    func finish() throws(CodingFault) {
        // Empty content is valid in any coding, where its end was announced.
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
            let isFree = made[stage] <= limits.expansionFreeBytes
            guard isFree || made[stage] / max(1, limits.expansionRatioMax) <= arrived + Self.freeArrival
            else { throw .expandsTooMuch }
            try unsafe feed(unpacked, to: stage + 1, put)
        }
    }
}
