public import FoundationEssentials
internal import Glibc
public import HTTPMessage
public import JobKit

/// The file that a download becomes.
///
/// The content is written to a temporary file in the same folder. It takes the place of the file when the operation
/// succeeds, in one step; when it fails or is stopped the temporary file is removed, and what was there before stays.
public struct FilePlace: DownloadPlace, Hashable, ExpressibleByStringLiteral {
    /// The path of the file.
    public let path: String

    /// The file at `path`, in a folder that exists.
    public init(_ path: String) { self.path = path }

    /// The file at a `file` URL.
    public init(_ url: URL) { path = url.path }

    /// The file at a path.
    public init(stringLiteral path: String) { self.path = path }

    /// Creates the temporary file.
    /// - Throws: `ArtifactFailure` when that is impossible.
    public func begin(for call: HTTPCall) throws -> any DownloadDraft {
        try FileDraft(beside: path)
    }

    /// Moves the temporary file to `path`.
    /// - Throws: `ArtifactFailure` when that is impossible.
    public func keep(_ file: DownloadedFile) async throws {
        try await BlockingWork.run { () throws(ArtifactFailure) in try FileDraft.move(file.path, to: path) }
    }

    /// Removes the temporary file.
    public func discard(_ file: DownloadedFile) async { FileDraft.remove(file.path) }
}
