internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Fetches content into a file, and resumes after a disconnect or a server error.
package struct DownloadSpec: Sendable, Hashable {
    /// The default attempt timeout of a download: 366 days. `stall` detects a stalled one.
    static let attemptTimeout = Duration.seconds(366 * 86_400)

    /// The call, and where its content goes.
    package var call: NetworkSpec
    /// Whether a later attempt resumes at the end of an earlier one. Default true.
    package var resumes = true
    /// Checks of the content.
    package var verify = Verification()

    /// A download of `call`.
    package init(call: NetworkSpec) { self.call = call }

    /// Checks of the content; nil checks nothing.
    package struct Verification: Sendable, Hashable {
        /// The SHA-256, 64 hexadecimal digits.
        package var sha256: Binding?
        /// The length in bytes.
        package var size: Int?
        /// The media type, compared without parameters.
        package var contentType: String?

        /// Anything.
        package init() {}
    }
}

extension DownloadSpec: BuiltInKind {
    static let name = "download"
    static let members: [any KindMember] = [
        CallReader.requestMember, CallReader.connectionMember, CallReader.targetMember, resumeMember,
        verifyMember, CallReader.expectMember, CallReader.retryMember,
    ]
    private static let resumeMember = DefaultedMember("resume", .bool, default: true)
    private static let verifyMember = OptionalMember<Verification>(
        "verify", SpecForm { Verification.read($1, $2, &$0) })
    static let makesCalls = true

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> DownloadSpec? {
        let call = CallReader(scope).read(object, &draft, &reading)
        let resumes = resumeMember.read(object, scope, &reading)
        let verify = verifyMember.read(object, scope, &reading)
        guard let call else { return nil }
        reading.inside("request") { check(call, resumes: resumes, &$0) }
        var download = DownloadSpec(call: call)
        if draft.timeouts.attempt == nil && scope.defaults.timeouts.attempt == nil {
            download.call.attemptTimeout = attemptTimeout
        }
        download.resumes = resumes
        download.verify = verify ?? Verification()
        if let size = download.verify.size, size > call.target.bytesMax {
            reading.inside("verify") {
                $0.note(
                    member: "size", .conflict,
                    "The content is to have \(size) bytes, and at most \(call.target.bytesMax) are taken. "
                        + "Raise save.max_bytes.")
            }
        }
        return download
    }

    private static func check(_ call: NetworkSpec, resumes: Bool, _ reading: inout SpecReading) {
        if resumes && call.method != "GET" {
            reading.note(
                member: "method", .conflict,
                "Only a GET can be resumed. Use GET, or set \"resume\": false next to \"request\".")
        }
        if call.isConditional {
            reading.note(
                member: "conditional", .conflict,
                "A download asks for parts of content that it knows. Leave \"conditional\" out.")
        }
        if call.keepsCookies {
            reading.note(
                member: "cookies", .conflict,
                "A download keeps no cookies. Log in with an operation of type network, and leave \"cookies\" out."
            )
        }
        for header in call.headers
        where !reading.isCut && ["range", "if-range"].contains(header.name.lowercased()) {
            reading.note(
                member: "headers", .conflict,
                "\"\(header.name)\" is set by the download itself. Leave it out.")
        }
    }

    var outgoingCall: NetworkSpec? { call }
    var keepsContentInFile: Bool { true }
    var planWords: [String] { call.planWords + (call.target.name.map { ["to", $0] } ?? []) }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        DownloadOperation(
            name: spec.name, download: self, expect: spec.expect ?? Expectation(), references: references
        ).recipe(retry: spec.retry ?? .standard)
    }

    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
        try await call.approvalSubject(in: context, references)
    }
}

extension DownloadSpec.Verification {
    fileprivate static func read(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> DownloadSpec.Verification {
        var verify = DownloadSpec.Verification()
        if let text = value.string {
            reading.wrongType(
                value, "an object", suggestion: "{\"sha256\": \"\(String(quotable: text))\"}")
            return verify
        }
        reading.members(of: value, "verify", known: ["sha256", "size", "content_type"]) {
            reading, name, value in
            switch name {
            case "sha256": verify.sha256 = sha256(value, scope, &reading)
            case "size": verify.size = reading.int(value, in: 0...TargetReader.bytesMax)
            case "content_type":
                verify.contentType = ExpectationReader.mediaType(value, &reading)?.description
            default: return false
            }
            return true
        }
        return verify
    }

    private static func sha256(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> Binding {
        let binding = BindingReader(scope).textBinding(value, &reading)
        if case .literal(let value) = binding, let text = value.string,
            !ArtifactReference.isDigest(text.lowercased())
        {
            reading.note(
                .outOfRange,
                "A SHA-256 is 64 hexadecimal digits, as sha256sum prints it; this has \(text.utf8.count) bytes."
            )
        }
        return binding
    }
}
