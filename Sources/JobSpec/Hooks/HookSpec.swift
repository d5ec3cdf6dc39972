package import JobKit
package import StrictJSON

/// A hook: what a verified request from outside does.
package struct HookSpec: Sendable {
    /// The effect of a delivery.
    package enum Effect: Sendable {
        /// Makes a job, in whose spec `$hook` takes values of the delivery.
        case job(HookJob)
        case signal(HookSignal)
    }

    /// The signs by which a delivery is known again.
    package struct Dedupe: Sendable, Hashable {
        /// The place of the delivery's id; nil has none.
        package var id: JSONPointer?
        /// Whether two deliveries with the same body are one.
        package var body: Bool
    }

    package var verify: VerifySpec
    package var effect: Effect
    package var dedupe: Dedupe
    /// The predicate that a delivery must satisfy, or it is ignored.
    package var when: JSONPredicate?
    /// The time for which the answer waits for the job; nil answers at once.
    package var wait: Duration?
    /// The greatest size of a body.
    package var bytesMax = Self.bytesMax
    /// The place at which its job first hands out a callback URL; nil when it hands out none, and in a stored hook.
    package var callbackPlace: JSONPointer?
    /// The rate at which its verified deliveries are taken; nil is any.
    package var rate: RateLimit?

    /// The greatest size of a body of any hook, and what is kept of one.
    package static let bytesMax = 1 << 20
    /// The time for which deliveries are kept, and known again.
    package static let keep = Duration.seconds(7 * 86_400)

    /// Nothing tells two deliveries apart from one that came twice.
    package var hasNoID: Bool { dedupe.id == nil && !dedupe.body }
}

/// A signal that a delivery sends to a job.
package struct HookSignal: Sendable, Hashable {
    /// The job that gets it.
    package enum Target: Sendable, Hashable {
        /// The unfinished job that holds a unique key.
        case uniqueKey(Binding)
        /// The newest unfinished job with a label.
        case label(String, Binding)
    }

    package var name: String
    package var target: Target
    package var value: Binding
}
