import HTTPMessage
import JobKit

/// A range of a file as request content.
final class FilePart: HTTPContentSource {
    private let reader: any ArtifactReader
    private let range: Range<Int>

    init(_ reader: any ArtifactReader, _ range: Range<Int>) {
        self.reader = reader
        self.range = range
    }

    var byteCount: Int { range.count }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        var part = bytes._mutatingExtracting(0..<min(bytes.count, range.count - offset))
        do throws(ArtifactFailure) {
            return try reader.read(at: range.lowerBound + offset, into: &part)
        } catch {
            throw HTTPCallFailure(
                code: error.errorCode.description, detail: error.detail, phase: .send, delivery: .sentUnknown)
        }
    }
}
