internal import JobKit
internal import StrictJSON

/// AWS Signature Version 4.
struct AWSSignatureAuth: AuthKind, CallCredentials {
    var accessKey: Binding
    var secretKey: Binding
    /// The token of a session, for keys that are lent.
    var sessionToken: Binding?
    /// The region, such as `eu-central-1`.
    var region: String
    /// The service, such as `s3` or `execute-api`.
    var service: String

    static let name = "aws_sigv4"
    static let members: [any KindMember] = [
        accessMember, secretMember, regionMember, serviceMember, sessionMember,
    ]
    private static let accessMember = RequiredMember("access_key", .text)
    private static let secretMember = RequiredMember("secret_key", .confidential)
    private static let regionMember = RequiredMember("region", .scopeWord)
    private static let serviceMember = RequiredMember("service", .scopeWord)
    private static let sessionMember = OptionalMember("session_token", .confidential)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        let access = accessMember.read(object, scope, &reading)
        let secret = secretMember.read(object, scope, &reading)
        let region = regionMember.read(object, scope, &reading)
        let service = serviceMember.read(object, scope, &reading)
        let session = sessionMember.read(object, scope, &reading)
        guard let access, let secret, let region, let service else { return .none }
        return .init(
            AWSSignatureAuth(
                accessKey: access, secretKey: secret, sessionToken: session, region: region,
                service: service))
    }

    var values: [Binding] { [accessKey, secretKey] + (sessionToken.map { [$0] } ?? []) }
    var confidentialValue: Binding { secretKey }
    var fieldNames: [String] {
        ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"]
    }

    func sentForm(of url: String) -> String { AWSSignature.sentForm(of: url) ?? url }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        var session: String?
        if let sessionToken {
            session = try sessionToken.resolveText("auth.session_token", lookup: lookup)
        }
        let credentials = AWSCredentials(
            accessKey: try accessKey.resolveText("auth.access_key", lookup: lookup),
            secretKey: try secretKey.resolveText("auth.secret_key", lookup: lookup),
            sessionToken: session, region: region, service: service)
        return .signature { call, signing throws(AOperationError) in
            try AWSSignature(credentials: credentials, digests: signing.digests).sign(&call, at: signing.now)
        }
    }
}

extension SpecForm where Value == String {
    /// A component of the credential scope.
    fileprivate static var scopeWord: SpecForm {
        SpecForm { reading, value, scope in
            guard let text = SpecForm.fieldValue(bytes: 1...63).read(&reading, value, scope) else {
                return nil
            }
            let isWord = text.utf8.allSatisfy { byte in
                byte &- 0x61 < 26 || byte &- 0x41 < 26 || byte &- 0x30 < 10 || byte == 0x2D
            }
            if !isWord {
                reading.note(.outOfRange, "It has letters, digits and \"-\", as in \"eu-central-1\".")
            }
            return text
        }
    }
}
