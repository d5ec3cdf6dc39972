package import HTTPMessage
package import JobKit
package import JobSpec
package import JobStore
package import OpenSSLCrypto
package import StrictJSON

/// Makes the jobs of hooks.
package struct HookIntake: Sendable {
    /// The reason why no job can be made of a delivery.
    package struct NotMade: Error, Sendable {
        package var detail: String
    }

    package let egress: EgressPolicy
    package let kinds: OperationKinds
    package let random: RandomWords
    package let queues: StoredQueues

    package init(egress: EgressPolicy, kinds: OperationKinds, random: RandomWords, queues: StoredQueues) {
        self.egress = egress
        self.kinds = kinds
        self.random = random
        self.queues = queues
    }

    /// The job for a delivery, with the templates as they are now.
    /// - Throws: when the store did not tell what they are, so that nothing is known about the job.
    package func job(
        _ job: JSONValue, of hook: String, for delivery: HookDelivery, reader: any TemplateReads,
        now: Timestamp
    ) throws(JobStoreError) -> Result<NewJob, NotMade> {
        let whole = QueueDefaults.spec(of: delivery.spec(of: job, hook: hook), queues)
        let text = whole.encoded()
        let most = SpecLimits.standard.bytesMax
        guard text.count <= most else {
            return .failure(
                NotMade(
                    detail:
                        "The job with the values that it takes has \(text.count) bytes; allowed are \(most). Take "
                        + "less of the delivery."))
        }
        let templates = TemplateBook(reader)
        let read = JobSpecReader.readHooked(
            whole, now: now, egress: egress, kinds: kinds, templates: templates.lookup)
        switch read {
        case .failure(let problems):
            if let failure = templates.failure { throw failure }
            return .failure(
                NotMade(detail: problems.list.first?.sentence ?? "The spec of the job has problems."))
        case .success(let spec):
            do throws(SpecProblem) {
                let accepted = AcceptedSpec(spec, text, templates: templates, isWhole: false)
                return .success(try accepted.job(by: "the hook \(hook)", now: now, random: random.pair()))
            } catch {
                return .failure(NotMade(detail: error.detail))
            }
        }
    }

    /// The digests by which a delivery to a hook is known again.
    /// - Parameter query: empty where the sender does not sign it: a copy with another one would pass otherwise.
    package static func keys(
        _ id: String?, _ body: [UInt8]?, _ query: [UInt8]
    ) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        if let id { keys.append(SHA256.digest(of: Array("id\u{0}\(id)".utf8))) }
        if let body { keys.append(SHA256.digest(of: [Array("body\u{0}".utf8), query, [0], body])) }
        return keys
    }
}
