internal import JobKit
internal import StrictJSON

/// A key in a named field.
struct HeaderAuth: AuthKind, CallCredentials {
    var field: String
    var value: Binding

    static let name = "header"
    static let members: [any KindMember] = [nameMember, valueMember]
    private static let nameMember = RequiredMember("name", .fieldName)
    private static let valueMember = RequiredMember(
        "value",
        SpecForm { reading, value, scope in
            let binding = BindingReader(scope).confidential(value, &reading)
            if case .literal(.string(let text)) = binding {
                FieldReader.checkValue(text, "The value", &reading)
            }
            return binding
        })

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
    {
        let name = nameMember.read(object, scope, &reading)
        let value = valueMember.read(object, scope, &reading)
        guard let name, let value else { return .none }
        return .init(HeaderAuth(field: name, value: value))
    }

    static let isSentAsIs = true
    var values: [Binding] { [value] }
    var confidentialValue: Binding { value }
    var fieldNames: [String] { [field.lowercased()] }

    func identity(lookup: Binding.Lookup, secrets: SecretAccess) throws(AOperationError) -> CallIdentity {
        .field(name: field, value: try value.resolveText("auth.value", lookup: lookup))
    }
}
