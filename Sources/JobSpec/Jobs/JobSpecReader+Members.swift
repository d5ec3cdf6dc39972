package import HTTPMessage
package import JobKit
package import StrictJSON

extension JobSpecReader {
    /// A member that passed the checks for its addition.
    package struct CheckedMember: Sendable {
        /// The addition, with its name filled in.
        package let addition: MemberAddition
        package let name: String
        /// The place in the request that hands out the first callback URL of the job.
        package let callbackPlace: JSONPointer?
    }

    /// Reads a spec that was accepted once, with the members that were added since; see `readStored(_:now:)`.
    package static func readStored(
        _ bytes: [UInt8], adding additions: [MemberAddition], now: Timestamp
    ) -> Result<JobSpec, SpecProblems> {
        if additions.isEmpty { return readStored(bytes, now: now) }
        guard let document = document(bytes, additions) else { return readStored(bytes, now: now) }
        return readStored(document, now: now)
    }

    /// Checks a member that is to be added to a job: in its group, with everything around it.
    /// - Parameters:
    ///   - bytes: the spec as submitted.
    ///   - earlier: the members added before.
    /// - Returns: the member, or its problems; pointers begin with `/operation` or are `/group`.
    package static func check(
        _ addition: MemberAddition, to bytes: [UInt8], earlier: [MemberAddition], now: Timestamp,
        egress: EgressPolicy?, kinds: OperationKinds
    ) -> Result<CheckedMember, SpecProblems> {
        guard let before = document(bytes, earlier), addition.added(to: before) != nil else {
            let name = addition.group.joined(separator: "/")
            return refused(
                ["group"], .unknownReference,
                addition.group.isEmpty
                    ? "The root of the job is no group with a list of operations."
                    : "The job has no group \"\(name)\" with a list of operations. What \"map\" or \"repeat\" make, and "
                        + "what comes from a template, takes no more members.")
        }
        var named = addition
        if case .success(let spec) = readStored(before, now: now),
            let group = spec.operation(at: addition.group)?.group
        {
            let names = Set((group.operations + group.finals).map(\.name))
            if let name = addition.spec.object?["name"]?.string, names.contains(name) {
                return refused(
                    ["operation", "name"], .duplicateName,
                    "An operation of this group is called \"\(name)\" already. Give this one another name.")
            }
            named.giveName(after: group.operations.count, besides: names)
        }
        guard let (whole, place) = named.added(to: before) else { return unreadable }
        let strict = read(whole, now: now, egress: egress, kinds: kinds)
        if case .failure(let problems) = strict {
            let own = problems.list.compactMap { moved($0, from: place) }
            if !own.isEmpty { return .failure(SpecProblems(own, isCut: problems.isCut)) }
        }
        guard case .success(let spec) = readStored(whole, now: now),
            let member = spec.operation(at: addition.group)?.latestMember
        else { return unreadable }
        let known = try? readStored(before, now: now).get()
        let kept = Set(known?.uploads.map(\.id) ?? [])
        if let upload = spec.uploads.first(where: { !kept.contains($0.id) }) {
            return refused(
                ["operation"], .notAvailable,
                "A member may name only the uploads that its job names already, which are kept for it; \(upload.id) is "
                    + "none of them.")
        }
        if case .object(var object) = named.spec {
            object["name"] = .string(member.name)
            named.spec = .object(object)
        }
        let callback = known?.callbackPlace == nil ? spec.callbackPlace : nil
        return .success(
            CheckedMember(
                addition: named, name: member.name,
                callbackPlace: callback.flatMap { moved($0, from: place) }))
    }

    private static var unreadable: Result<CheckedMember, SpecProblems> {
        refused(["operation"], .conflict, "The job's spec cannot be read with this member.")
    }

    private static func refused(
        _ place: [String], _ code: SpecProblemCode, _ detail: String
    ) -> Result<CheckedMember, SpecProblems> {
        .failure(
            SpecProblems([
                SpecProblem(pointer: JSONPointer(tokens: place), code: code.rawValue, detail: detail)
            ]))
    }

    /// A problem of the member, relative to the request; nil for problems elsewhere, which were accepted before.
    private static func moved(_ problem: SpecProblem, from place: JSONPointer) -> SpecProblem? {
        var problem = problem
        if let pointer = moved(problem.pointer, from: place) {
            problem.pointer = pointer
            return problem
        }
        guard problem.code == SpecProblemCode.tooManyOperations.rawValue else { return nil }
        problem.pointer = JSONPointer(tokens: ["operation"])
        return problem
    }

    private static func moved(_ pointer: JSONPointer, from place: JSONPointer) -> JSONPointer? {
        let tokens = pointer.tokens
        guard tokens.starts(with: place.tokens) else { return nil }
        return JSONPointer(tokens: ["operation"] + tokens.dropFirst(place.tokens.count))
    }

    private static func document(_ bytes: [UInt8], _ additions: [MemberAddition]) -> JSONValue? {
        let limits = SpecLimits.standard
        guard
            var document = try? JSONParser.parse(
                bytes, limits: JSONLimits(bytesMax: limits.bytesMax, depthMax: limits.jsonDepthMax))
        else { return nil }
        for addition in additions {
            if let (changed, _) = addition.added(to: document) { document = changed }
        }
        return document
    }
}
