package import HTTPMessage
package import JobKit
package import StrictJSON

package enum HookReader {
    private static let members = [
        "job", "template", "params", "signal", "verify", "dedupe", "when", "respond", "max_bytes",
        "rate",
    ]

    /// Reads the hook that `value` is.
    /// - Parameters:
    ///   - egress: the permitted addresses of its job.
    ///   - kinds: the types that are not built in.
    ///   - templates: finds the templates that its job uses.
    /// - Returns: the hook, or everything that is wrong with it.
    package static func read(
        _ value: JSONValue, name: String, now: Timestamp, egress: EgressPolicy?, kinds: OperationKinds,
        templates: @escaping TemplateLookup
    ) -> Result<HookSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: now, kinds: kinds, templates: templates)
        reading.takesHook = true
        var spec = hook(value, name, &reading)
        if case .job(let job)? = spec?.effect {
            spec?.callbackPlace = checkJob(
                job.value, of: name, isTemplate: value.object?["template"] != nil, SpecScope(egress: egress),
                &reading)
        }
        ReferenceResolver.noteUnknown(&reading)
        if let spec, reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    /// Reads a stored hook without checking its job; nil when the bytes are damaged.
    package static func readStored(_ bytes: [UInt8], name: String) -> HookSpec? {
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0), kinds: nil)
        reading.takesHook = true
        let spec = hook(value, name, &reading)
        return reading.problems.isEmpty ? spec : nil
    }

    private static func hook(_ value: JSONValue, _ name: String, _ reading: inout SpecReading) -> HookSpec? {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object",
                suggestion:
                    #"{"verify": {"scheme": "github", "key": {"$secret": "github"}}, "template": "deploy"}"#)
            return nil
        }
        reading.members(of: object, "A hook", known: members) { _, name, _ in
            members.contains(where: name.hasSameBytes)
        }
        let effect = effect(of: object, name, &reading)
        guard let proof = object["verify"] else {
            reading.missing(
                "verify", "Say how the sender proves who it is; {\"scheme\": \"none\"} lets everyone send.",
                suggestion: #""verify": {"scheme": "github", "key": {"$secret": "github"}}"#)
            return nil
        }
        guard let verify = reading.inside("verify", { VerifyReader.read(proof, &$0) }), let effect else {
            return nil
        }
        var spec = HookSpec(verify: verify, effect: effect, dedupe: .init(id: verify.idPlace, body: false))
        spec.dedupe.body = !verify.signsTime
        if let value = object["dedupe"] { reading.inside("dedupe") { dedupe(value, &spec.dedupe, &$0) } }
        if let value = object["when"] {
            spec.when = reading.inside("when") {
                PredicateReader(SpecScope()).predicate(value, on: .item, &$0)
            }
        }
        if let value = object["respond"] { reading.inside("respond") { respond(value, &spec, &$0) } }
        if let value = object["max_bytes"] {
            spec.bytesMax =
                reading.inside("max_bytes") { $0.int(value, in: 1...HookSpec.bytesMax) } ?? spec.bytesMax
        }
        if let value = object["rate"] {
            // Senders send several at once after a pause: the whole of `count`, unless the spec says less.
            spec.rate = reading.inside("rate") { LimitReader.rate(value, &$0) }.map { rate in
                guard value.object?["burst"] == nil else { return rate }
                return RateLimit(count: rate.count, per: rate.per, burst: rate.count)
            }
        }
        return spec
    }

    private static func dedupe(
        _ value: JSONValue, _ dedupe: inout HookSpec.Dedupe, _ reading: inout SpecReading
    ) {
        reading.members(of: value, "dedupe", known: ["at", "body"]) { reading, name, value in
            switch name {
            case "at": dedupe.id = PointerReader.pointer(value, &reading)
            case "body": dedupe.body = reading.bool(value) ?? dedupe.body
            default: return false
            }
            return true
        }
    }

    private static func respond(_ value: JSONValue, _ spec: inout HookSpec, _ reading: inout SpecReading) {
        reading.members(of: value, "respond", known: ["wait"]) { reading, name, value in
            guard name == "wait" else { return false }
            spec.wait = reading.duration(value, atLeast: .milliseconds(100), atMost: .seconds(60))
            return true
        }
        guard spec.wait != nil, case .signal = spec.effect else { return }
        reading.note(
            member: "wait", .conflict, "A signal has no result to wait for. Leave it out.")
    }

    // MARK: The effect

    private static func effect(
        of object: JSONObject, _ name: String, _ reading: inout SpecReading
    ) -> HookSpec.Effect? {
        let given = ["job", "template", "signal"].filter { object[$0] != nil }
        for other in given.dropFirst() {
            reading.note(
                member: other, .conflict,
                "A hook has a \"job\", a \"template\" or a \"signal\", and this one has \"\(given[0])\".")
        }
        if object["params"] != nil, object["template"] == nil {
            reading.note(
                member: "params", .conflict, "\"params\" belong to a \"template\", and there is none.")
        }
        switch given.first {
        case "signal":
            return object["signal"].flatMap { value in
                reading.inside("signal") { signal(value, &$0).map(HookSpec.Effect.signal) }
            }
        case "job":
            guard var job = object["job"]?.object else {
                reading.inside("job") { $0.wrongType(object["job"] ?? .null, "a job, which is an object") }
                return nil
            }
            if job["name"] == nil { job["name"] = .string(name) }
            return .job(HookJob(.object(job)))
        case "template":
            var made = JSONObject([("name", .string(name)), ("template", object["template"] ?? .null)])
            if let params = object["params"] { made["params"] = params }
            return .job(HookJob(.object(made)))
        default:
            reading.missing(
                "job",
                "Say what a delivery does: a \"job\", a \"template\" with \"params\", or a \"signal\".",
                suggestion: #""template": "deploy", "params": {"ref": {"$hook": "", "at": "/body/ref"}}"#)
            return nil
        }
    }

    /// Checks the job as it will be made; its problems are found at `job`, or at `template` and `params`.
    /// - Returns: where it first hands out a callback URL.
    private static func checkJob(
        _ job: JSONValue, of name: String, isTemplate: Bool, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> JSONPointer? {
        for label in ReservedLabel.allCases
        where job.object?["labels"]?.object?[label.rawValue] != nil {
            reading.note(
                at: reading.pointer.appending("job").appending("labels").appending(label.rawValue),
                .notAvailable, label.detail)
        }
        var inner = SpecReading(
            limits: reading.limits, now: reading.now, kinds: reading.kinds, templates: reading.templates)
        inner.takesHook = true
        inner.isOfHook = true
        _ = JobMembersReader(scope).read(job, &inner)
        let base = reading.pointer
        func place(of pointer: JSONPointer) -> JSONPointer {
            isTemplate ? base.appending("template") : base.appending("job").appending(pointer)
        }
        for upload in inner.account.uploads {
            reading.note(
                at: place(of: upload.pointer), .notAvailable,
                "An upload is kept for 24 hours, or until the job that uses it is erased; a hook may make jobs for "
                    + "longer. Put the content where its jobs can fetch it.")
        }
        for problem in inner.problems {
            let isOwn = isTemplate && ["template", "params"].contains(problem.pointer.tokens.first)
            let place = isOwn ? base : base.appending("job")
            reading.note(
                at: place.appending(problem.pointer), SpecProblemCode(rawValue: problem.code) ?? .conflict,
                problem.detail, suggestion: problem.suggestion)
        }
        return inner.account.callback.map(place)
    }

    /// `{"name": "paid", "job": {"unique_key": …} or {"label": {"order": …}}, "value": …}`
    private static func signal(_ value: JSONValue, _ reading: inout SpecReading) -> HookSignal? {
        var name: String?
        var target: HookSignal.Target?
        var content = Binding.get(Binding.Reference(.hook, at: .body))
        reading.members(of: value, "signal", known: ["name", "job", "value"]) { reading, member, value in
            switch member {
            case "name": name = reading.name(value)
            case "job": target = Self.target(value, &reading)
            case "value": content = ofDelivery(BindingReader(SpecScope()).binding(value, &reading), &reading)
            default: return false
            }
            return true
        }
        guard case .object(let object) = value else { return nil }
        if object["name"] == nil { reading.missing("name", "Say which signal is sent.") }
        if object["job"] == nil {
            reading.missing(
                "job", "Say which job gets it: by a label, or by its unique key.",
                suggestion: #""job": {"label": {"order": {"$hook": "", "at": "/body/order"}}}"#)
        }
        guard let name, let target else { return nil }
        return HookSignal(name: name, target: target, value: content)
    }

    private static func target(_ value: JSONValue, _ reading: inout SpecReading) -> HookSignal.Target? {
        guard case .object(let object) = value, object.members.count == 1, let member = object.members.first
        else {
            reading.wrongType(
                value, "an object with \"unique_key\" or \"label\"",
                suggestion: #"{"label": {"order": {"$hook": "", "at": "/body/order"}}}"#)
            return nil
        }
        return reading.inside(member.name) { reading in
            switch member.name {
            case "unique_key": return .uniqueKey(text(member.value, &reading))
            case "label":
                guard case .object(let labels) = member.value, labels.members.count == 1,
                    let label = labels.members.first
                else {
                    reading.wrongType(member.value, "an object with one label")
                    return nil
                }
                return reading.inside(label.name) { .label(label.name, text(label.value, &$0)) }
            default:
                reading.note(
                    .unknownMember, "A job is found by \"unique_key\" or \"label\".",
                    allowed: ["unique_key", "label"])
                return nil
            }
        }
    }

    private static func text(_ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        ofDelivery(BindingReader(SpecScope()).textBinding(value, &reading), &reading)
    }

    /// A binding that takes values of the delivery only: there is no job whose operations could give others.
    private static func ofDelivery(_ binding: Binding, _ reading: inout SpecReading) -> Binding {
        if !binding.isOfDelivery {
            reading.note(
                .notAvailable,
                "Only \"$hook\" is available here: there are no operations to take a value from.")
        }
        return binding
    }
}

extension Binding {
    /// Whether all that it takes is from a delivery.
    fileprivate var isOfDelivery: Bool {
        switch self {
        case .literal: true
        case .get(let reference): reference.source == .hook
        case .text(_, let vars): vars.allSatisfy(\.value.isOfDelivery)
        case .array(let parts): parts.allSatisfy(\.isOfDelivery)
        case .object(let entries): entries.allSatisfy(\.value.isOfDelivery)
        }
    }
}

extension VerifySpec {
    /// The place of the id that senders of this scheme give a delivery; nil when they give none.
    fileprivate var idPlace: JSONPointer? {
        let tokens: [String]? =
            switch scheme {
            case .standardWebhooks: ["headers", "webhook-id"]
            case .github: ["headers", "x-github-delivery"]
            case .shopify: ["headers", "x-shopify-webhook-id"]
            case .stripe: ["body", "id"]
            case .slack: ["body", "event_id"]
            case .hmac, .basic, .bearer, .none: nil
            }
        return tokens.map { JSONPointer(tokens: $0) }
    }
}
