internal import Commands
internal import StrictJSON

/// The files that a spec sends on, which are uploaded before it is submitted. Until then it has their names as ids:
/// `"artifact": {"id": "month"}`.
struct SpecFiles {
    private let files: [(name: String, path: String)]
    private let spec: JSONValue
    private let bytes: [UInt8]

    /// - Parameter words: name and path of each, with `=` between them.
    /// - Throws: `.usage` for a word of another form, and for a name that the spec does not have.
    init(
        _ words: [String], in bytes: [UInt8], isScript: Bool, _ action: Action
    ) throws(CommandFailure) {
        self.bytes = bytes
        guard !words.isEmpty else {
            (files, spec) = ([], .null)
            return
        }
        guard !isScript, let spec = try? JSONParser.parse(bytes) else {
            throw action.usage("--file is for a spec in JSON")
        }
        self.spec = spec
        var files: [(name: String, path: String)] = []
        for word in words {
            guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), equals > word.startIndex else {
                throw action.usage("--file \(word): expected a name and a path, such as month=march.csv")
            }
            let name = String(word[..<equals])
            guard Self.names(name, in: spec) else {
                throw action.usage(
                    "--file \(word): the spec has no \"artifact\": {\"id\": \"\(name)\"} that it could be")
            }
            files.append((name, String(word[word.utf8.index(after: equals)...])))
        }
        self.files = files
    }

    /// The spec with the ids of the files, once they are uploaded.
    func uploaded(by service: JobService) async throws(CommandFailure) -> [UInt8] {
        if files.isEmpty { return bytes }
        var whole = spec
        for file in files {
            let id = try await service.upload(file.path, type: nil).id
            whole = Self.replacing(file.name, with: id, in: whole)
        }
        return whole.encoded()
    }

    private static func isReference(_ member: JSONObject.Member, to name: String) -> Bool {
        member.name.hasSameBytes(as: "artifact")
            && member.value.object?["id"]?.string?.hasSameBytes(as: name) ?? false
    }

    private static func names(_ name: String, in value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains { names(name, in: $0) }
        case .object(let object):
            object.members.contains { isReference($0, to: name) || names(name, in: $0.value) }
        default: false
        }
    }

    private static func replacing(_ name: String, with id: String, in value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { replacing(name, with: id, in: $0) })
        case .object(let object):
            let members = object.members.map { member in
                var member = member
                member.value =
                    isReference(member, to: name)
                    ? .object(JSONObject([("id", .string(id))])) : replacing(name, with: id, in: member.value)
                return member
            }
            return .object(JSONObject(uniqueMembers: members))
        default: return value
        }
    }
}
