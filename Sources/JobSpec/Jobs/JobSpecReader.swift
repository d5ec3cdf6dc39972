package import HTTPMessage
package import JobKit
package import StrictJSON

package enum JobSpecReader {
    /// Whether a text is a name as operations, queues and signals have: `[a-z][a-z0-9_-]{0,62}`.
    package static func isName(_ text: String) -> Bool { SpecReading.isName(text) }

    /// Reads the spec in `bytes`.
    ///
    /// - Parameters:
    ///   - line: the line of a longer text in which it begins.
    ///   - limits: the limits of its values.
    ///   - now: the time of submission; dates more than `limits.dateMax` later are refused, past ones are not.
    ///   - egress: when given, URLs with an address that it forbids are problems. Names are not looked up.
    ///   - kinds: the custom types.
    ///   - templates: looks up templates; nil refuses them.
    ///   - parameters: the parameters that `$param` may name, for the body of a template; nil for a job, which has no
    ///     parameters.
    /// - Returns: the spec, or all of its problems. A text that is not JSON is one problem with line and column.
    package static func read(
        _ bytes: [UInt8], line: Int = 1, limits: SpecLimits = .standard, now: Timestamp,
        egress: EgressPolicy? = nil, kinds: OperationKinds = .none, parameters: Set<String>? = nil,
        templates: TemplateLookup? = nil
    ) -> Result<JobSpec, SpecProblems> {
        document(bytes, limits, line: line).flatMap {
            read(
                $0, limits: limits, now: now, egress: egress, kinds: kinds, parameters: parameters,
                templates: templates, textBytes: bytes.count)
        }
    }

    /// Reads the spec that `value` is; otherwise like the reader of bytes.
    /// - Parameter textBytes: the size of its text, as far as that is known.
    package static func read(
        _ value: JSONValue, limits: SpecLimits = .standard, now: Timestamp, egress: EgressPolicy? = nil,
        kinds: OperationKinds = .none, parameters: Set<String>? = nil,
        templates: TemplateLookup? = nil, textBytes: Int = .max
    ) -> Result<JobSpec, SpecProblems> {
        var reading = SpecReading(
            limits: limits, now: now, kinds: kinds,
            parameters: parameters.map { ParameterNames($0.sorted()) },
            templates: templates, textBytes: textBytes)
        return read(value, SpecScope(egress: egress), &reading)
    }

    /// Reads the spec of a job that a hook makes, without the values of a delivery, which its bindings may take.
    package static func readHooked(
        _ value: JSONValue, now: Timestamp, egress: EgressPolicy?, kinds: OperationKinds,
        templates: @escaping TemplateLookup
    ) -> Result<JobSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: now, kinds: kinds, templates: templates)
        reading.takesHook = true
        reading.isOfHook = true
        return read(value, SpecScope(egress: egress), &reading)
    }

    /// Reads a stored spec. Unknown custom types are accepted, since the program may lack some of the kinds of the one
    /// that accepted the spec.
    /// - Parameter now: the time of its acceptance.
    package static func readStored(_ bytes: [UInt8], now: Timestamp) -> Result<JobSpec, SpecProblems> {
        document(bytes, .standard).flatMap { readStored($0, now: now, textBytes: bytes.count) }
    }

    /// Reads a spec that was accepted once, with the templates that it pinned.
    static func readStored(
        _ value: JSONValue, now: Timestamp, textBytes: Int = .max
    ) -> Result<JobSpec, SpecProblems> {
        let templates = PinnedTemplates.lookup(in: value)
        var reading = SpecReading(
            limits: .standard, now: now, kinds: nil, templates: templates, textBytes: textBytes)
        let date = StoredSpec.scheduledFor(in: value)
        let delivery = StoredSpec.delivery(in: value)
        reading.takesHook = delivery != nil
        let isPlain = templates == nil && date == nil && delivery == nil
        let submitted = isPlain ? value : StoredSpec.submitted(value)
        return read(submitted, SpecScope(), &reading).map { spec in
            var spec = spec
            spec.scheduledFor = date
            spec.delivery = delivery
            return spec
        }
    }

    private static func read(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> Result<JobSpec, SpecProblems> {
        guard var spec = JobMembersReader(scope).read(value, &reading), reading.problems.isEmpty else {
            return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
        }
        spec.uploads = reading.account.uploads
        spec.callbackPlace = reading.account.callback
        return .success(spec)
    }

    /// Parses the text of a spec.
    /// - Parameter line: the line of a longer text in which it begins.
    package static func document(
        _ bytes: [UInt8], _ limits: SpecLimits, line: Int = 1
    ) -> Result<JSONValue, SpecProblems> {
        do {
            return .success(
                try JSONParser.parse(
                    bytes, limits: JSONLimits(bytesMax: limits.bytesMax, depthMax: limits.jsonDepthMax)))
        } catch {
            return .failure(
                SpecProblems([
                    SpecProblem(
                        pointer: error.pointer, code: error.code.rawValue,
                        detail: error.description(inTextFrom: line))
                ]))
        }
    }
}
