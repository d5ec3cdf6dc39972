import ContentFiles
import Glibc
import JobStore

// DESIGN
// A deletion is a write, too. While the reserve is whole, everything is written. Once it is touched, new jobs are
// refused and unfinished downloads are given up, and the reserve is left to deletions, cancellations and the ends of
// runs. Others may fill the disk to the last byte: for that there is a file of zeros, the ballast, which is removed
// when a write finds no space, or when the store is opened without any, and made again when there is space.

/// Watches the free space for the writer. Used by one thread at a time.
struct DiskWatch {
    /// The name of the ballast in the data directory.
    static let ballastName = "ballast"
    private static let ballastBytesMax = 8 << 20
    /// The time between two looks.
    private static let every = Duration.milliseconds(100)

    private let directory: String
    private let reserve: DiskReserve
    private var nextLook = ContinuousClock.now
    private var hasBallast: Bool
    /// Why no new jobs are taken; nil when they are.
    private(set) var shortage: JobStoreError?

    private var ballast: String { directory + "/" + Self.ballastName }

    /// Makes room for opening the store when there is none.
    init(_ directory: String, _ reserve: DiskReserve) {
        self.directory = directory
        self.reserve = reserve
        let bytes = ArtifactDirectory.byteCount(directory + "/" + Self.ballastName)
        hasBallast = bytes != nil
        if let bytes, let room = reserve.room(at: directory), room.free < bytes { _ = giveBallast() }
        look()
    }

    /// Milliseconds until the next look while there is too little space; otherwise nil.
    var millisecondsLeft: Int? { shortage == nil ? nil : 100 }

    /// Looks at the disk when it is time. Returns whether new jobs were taken before and are not now, or the reverse.
    mutating func lookIfDue() -> Bool {
        let now = ContinuousClock.now
        guard now >= nextLook else { return false }
        nextLook = now + Self.every
        let before = shortage == nil
        look()
        return before != (shortage == nil)
    }

    private mutating func look() {
        guard let room = reserve.room(at: directory) else { return shortage = nil }
        // The shortage is over when there is somewhat more than the reserve.
        let isShort = shortage == nil ? room.left < 0 : room.left < room.reserve / 8
        shortage = isShort ? Self.shortage(room, directory) : nil
        if !isShort, !hasBallast { makeBallast(room) }
    }

    /// Whether the disk has so little space that a failed write may be due to that.
    var isShort: Bool { reserve.room(at: directory).map { $0.left < 0 } ?? false }

    /// Removes the ballast, so that there is space for deletions. Returns whether there was one.
    mutating func giveBallast() -> Bool {
        guard hasBallast else { return false }
        ArtifactDirectory.remove(ballast)
        hasBallast = false
        // With space left it is a quota or a fault, which the failed write tells.
        if let room = reserve.room(at: directory), room.left < 0 { shortage = Self.shortage(room, directory) }
        nextLook = ContinuousClock.now + Self.every
        return true
    }

    private mutating func makeBallast(_ room: DiskReserve.Room) {
        let bytes = min(Self.ballastBytesMax, room.reserve / 4)
        guard bytes > 0, room.left > 2 * bytes else { return }
        let descriptor = unsafe open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        hasBallast = posix_fallocate(descriptor, 0, off_t(bytes)) == 0
        close(descriptor)
        if !hasBallast { ArtifactDirectory.remove(ballast) }
    }

    private static func shortage(_ room: DiskReserve.Room, _ directory: String) -> JobStoreError {
        JobStoreError(
            .diskFull,
            "The disk of \(directory) has \(room.free) bytes free, and \(room.reserve) are kept for deletions and "
                + "running jobs (--disk-reserve): new jobs are not taken. Free some space or erase jobs, then try again; "
                + "jobserver doctor tells what takes the space.")
    }
}
