internal import JobKit

/// Content in a file on the disk of this machine, which a call sends.
struct ContentFile: Sendable {
    let artifact: ArtifactReference
    let reader: any ArtifactReader
    let contentType: String?
    let coding: String?
}

/// A piece of request content.
enum ContentPiece: Sendable {
    case bytes([UInt8])
    case file(any ArtifactReader)

    /// The length in bytes.
    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let reader): reader.byteCount
        }
    }
}
