package import JobKit
package import StrictJSON

/// A job as submitted: one operation, which may be a group, and the settings of the whole job.
package struct JobSpec: Sendable, Hashable {
    /// The operation to run.
    package var operation: OperationSpec
    /// The queue it waits in: `[a-z][a-z0-9_-]{0,62}`. Default `default`.
    package var queue = "default"
    /// The key within the queue, such as a customer: the limits of the queue for each key apply to it, and keys take
    /// turns. 1 to 255 bytes; nil is none.
    package var queueKey: String?
    /// 0…9, a higher one is taken first. Default 5.
    package var priority = 5
    /// At most 32 pairs for searches: key at most 63, value at most 128 bytes.
    package var labels: [Label] = []
    /// An object for the submitter's use, at most 16 KiB, returned unchanged.
    package var metadata: JSONObject?
    /// Retention of the final job; nil members take the server's default.
    package var retention = Retention()

    /// The key that one unfinished job has at a time; nil is none.
    package var unique: Unique?

    /// Calls that are made when it is over, at most 8.
    package var callbacks: [CallbackSpec] = []

    /// The uploads that it names.
    package var uploads: [UploadPlace] = []
    /// The first place at which it hands out a callback URL; nil when it hands out none.
    package var callbackPlace: JSONPointer?

    /// The planned time for which a schedule made the job; nil for every other job.
    package var scheduledFor: Timestamp?
    /// The values that it takes from the delivery that made the job, by their places; nil for other jobs.
    package var delivery: JSONObject?

    /// The source of each member above; absent ones have their default.
    package var sources: [String: SettingSource] = [:]

    /// Whether its run changes nothing outside of the job, so that it may be lost with the job as long as no one was
    /// told of either.
    package var onlyReads: Bool {
        unique == nil && callbacks.isEmpty && uploads.isEmpty && operation.conditions.isEmpty
            && operation.kind.work.onlyReads
    }

    /// A job that runs `operation`.
    package init(operation: OperationSpec) { self.operation = operation }

    /// A key that one unfinished job has at a time.
    package struct Unique: Sendable, Hashable {
        /// 1 to 255 bytes.
        package var key: String
        /// The answer when another job has the key.
        package var onConflict: UniqueConflict

        package init(key: String, onConflict: UniqueConflict = .reject) {
            self.key = key
            self.onConflict = onConflict
        }
    }

    package struct Label: Sendable, Hashable {
        package var key: String
        package var value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }

        /// Equal when the bytes are.
        package static func == (left: Label, right: Label) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value.hasSameBytes(as: right.value)
        }

        /// Feeds the bytes to the hasher.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteKey(key))
            hasher.combine(ByteKey(value))
        }
    }

    /// The retention of a final job.
    package struct Retention: Sendable, Hashable {
        /// For a job that succeeded or was skipped; default 7 days.
        package var succeeded: Duration?
        /// For a job that failed, was cancelled or expired; default 30 days.
        package var failed: Duration?

        /// These times; nil is the server's default.
        package init(succeeded: Duration? = nil, failed: Duration? = nil) {
            self.succeeded = succeeded
            self.failed = failed
        }
    }
}
