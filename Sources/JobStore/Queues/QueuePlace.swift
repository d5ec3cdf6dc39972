package import JobKit

/// The place of a job in a line: by the time since which it waits, then in the order of acceptance.
package struct QueuePlace: Sendable, Hashable, Comparable {
    package var time: Timestamp
    package var number: Int64

    package init(time: Timestamp, number: Int64) {
        self.time = time
        self.number = number
    }

    package static func < (left: QueuePlace, right: QueuePlace) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }
}
