package import JobKit
package import JobStore
package import TraceFormat

/// The trace of a job: the ids of its spans, which follow from the job, so that each run of it, after a restart or on
/// another server, makes the same.
package struct JobTrace: Sendable {
    /// The span of the job.
    package let root: TraceContext
    /// The span of the submission, when the job is its child.
    package let parent: SpanID?
    /// The span of the submission, when the job has a trace of its own.
    package let link: TraceContext?
    private let job: JobID
    /// Distinguishes the try by a person from those before; 0 is the first.
    private let generation: UInt64

    /// - Parameters:
    ///   - submission: the span of the submission; nil when there was none, or none was recorded.
    ///   - retriedAt: the time of the last retry by a person.
    package init(
        of record: JobRecord, submission: TraceContext?, retriedAt: Timestamp? = nil, tracer: Tracer
    ) {
        job = record.id
        generation = retriedAt.map { UInt64(clamping: $0.milliseconds) } ?? 0
        let wait = (record.startedAt ?? record.createdAt).since(record.createdAt)
        let isChild =
            switch tracer.relation {
            case .auto: generation == 0 && wait <= .seconds(TraceRelation.childSeconds)
            case .child: generation == 0
            case .link: false
            }
        let parent = isChild ? submission : nil
        let own = TraceID(of: job.high, job.low)
        let traceID = parent?.traceID ?? (generation == 0 ? own : own.derived(generation))
        self.parent = parent?.spanID
        link = isChild ? nil : submission
        root = TraceContext(
            traceID: traceID, spanID: Self.spanID(job, generation) { _ in },
            isSampled: tracer.sampler.isSampled(traceID, parent: parent), state: parent?.state ?? "")
    }

    /// The span of an operation; that of the root operation is the job's.
    func operation(_ path: [String]) -> SpanID {
        path.isEmpty ? root.spanID : Self.spanID(job, generation) { mixer in path.forEach { mixer.add($0) } }
    }

    /// The span of an attempt.
    func attempt(_ number: Int, of path: [String]) -> SpanID {
        Self.spanID(job, generation) { mixer in
            path.forEach { mixer.add($0) }
            mixer.add(UInt64(number))
        }
    }

    private static func spanID(
        _ job: JobID, _ generation: UInt64, _ mix: (inout BitMixer) -> Void
    ) -> SpanID {
        var mixer = BitMixer(job.high)
        mixer.add(job.low)
        mixer.add(generation)
        mix(&mixer)
        return SpanID(mixer)
    }
}
