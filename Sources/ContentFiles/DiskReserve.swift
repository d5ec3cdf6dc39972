package import JobKit

// DESIGN
// On a full disk nothing can be deleted: the deletion itself has to be logged first. So the last part of the file
// system is kept for the store. Content stops before it, a copy that would reach into it does not begin, and new jobs
// are refused as soon as it is touched (`DiskWatch`); deletions, cancellations and the ends of runs may use it.

/// The part of a file system that is left free for the log of the store.
package struct DiskReserve: Sendable {
    /// The size of the reserve.
    package enum Size: Sendable, Hashable {
        /// 5 % of the file system, at most 256 MiB.
        case standard
        /// This many bytes.
        case bytes(Int)

        /// The size on a file system.
        package func bytes(of space: DiskSpace) -> Int {
            switch self {
            case .standard: min(256 << 20, space.total / 20)
            case .bytes(let count): count
            }
        }
    }

    /// A look at a file system.
    package struct Room: Sendable, Hashable {
        package let free: Int
        package let reserve: Int

        /// The bytes that may still be written; less than zero when the reserve is touched.
        package var left: Int { free - reserve }
    }

    package var size = Size.standard
    /// Reads the space of the file system with a path; nil when it is unknown.
    package var read: @Sendable (_ path: String) -> DiskSpace? = { DiskSpace(of: $0) }

    package init(_ size: Size = .standard) { self.size = size }

    /// The room on the file system with `path`; nil when it is unknown.
    package func room(at path: String) -> Room? {
        read(path).map { Room(free: $0.free, reserve: size.bytes(of: $0)) }
    }

    /// Checks that more bytes fit.
    /// - Parameter what: the thing that is written, with a capital letter.
    /// - Throws: `.full`.
    package func check(_ bytes: Int, at path: String, for what: String) throws(ArtifactFailure) {
        guard let room = room(at: path), room.left < bytes else { return }
        throw room.failure(bytes, at: path, for: what)
    }
}

extension DiskReserve.Room {
    /// The failure of content that does not fit.
    func failure(_ bytes: Int, at path: String, for what: String) -> ArtifactFailure {
        let kept =
            reserve > 0
            ? ", and \(reserve) of them are kept for the log of the store (--disk-reserve)" : ""
        return ArtifactFailure(
            .full,
            "\(what) needs \(bytes) bytes. The disk of \(path) has \(free) free\(kept). Free some space there or erase "
                + "jobs with large results, then try again; jobserver doctor tells what takes the space.")
    }
}
