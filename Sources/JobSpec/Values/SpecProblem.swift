public import StrictJSON

/// A problem of a job spec.
public struct SpecProblem: Error, Sendable, Hashable {
    /// The position: the invalid value, or the object without a required member.
    public var pointer: JSONPointer
    /// A code for programs: `json.…`, `spec.…` or `egress.blocked`.
    public var code: String
    /// A sentence for people, with the remedy.
    public var detail: String
    /// A replacement, where there is one.
    public var suggestion: String?
    /// All names or words that are possible at this position, for a name or word that is not; empty where there are
    /// countless ones.
    public var allowed: [String]

    /// A problem.
    public init(
        pointer: JSONPointer, code: String, detail: String, suggestion: String? = nil, allowed: [String] = []
    ) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.suggestion = suggestion
        self.allowed = allowed
    }

    /// The bytes of its texts.
    var byteCount: Int {
        let texts = detail.utf8.count + (suggestion?.utf8.count ?? 0)
        let place = pointer.tokens.reduce(texts) { $0 + $1.utf8.count + 1 }
        return allowed.reduce(place) { $0 + $1.utf8.count + 3 }
    }

    /// The detail with its position in front, which the whole document does not need: `At "/request/url": …`.
    public var sentence: String { pointer == .root ? detail : "At \"\(pointer)\": \(detail)" }
}

/// Everything that is wrong with a job spec, in the order of the spec as far as possible; never empty.
package struct SpecProblems: Error, Sendable, Hashable {
    package var list: [SpecProblem]
    /// Whether there were more than are listed.
    package var isCut: Bool

    package init(_ list: [SpecProblem], isCut: Bool = false) {
        self.list = list
        self.isCut = isCut
    }
}

/// The codes of problems that the reader of specs finds. The reader of JSON adds its own (`json.…`).
public enum SpecProblemCode: String, Sendable, Hashable, CaseIterable {
    /// A member that does not exist at this position.
    case unknownMember = "spec.unknown_member"
    /// A `type` that does not exist.
    case unknownType = "spec.unknown_type"
    /// A word that is not in the list.
    case unknownWord = "spec.unknown_word"
    /// Something that must be there is not.
    case missingMember = "spec.missing_member"
    /// A value of the wrong type, such as a string in place of a number.
    case wrongType = "spec.wrong_type"
    /// A number, length or date outside its range.
    case outOfRange = "spec.out_of_range"
    /// Something is larger than allowed.
    case tooLarge = "spec.too_large"
    /// Members that exclude each other.
    case conflict = "spec.conflict"
    /// A member of the job in an operation.
    case rootOnly = "spec.root_only"
    /// A member without effect at this position, or a binding that this server does not support.
    case notAvailable = "spec.not_available"
    /// A name that does not match `[a-z][a-z0-9_-]{0,62}`.
    case badName = "spec.bad_name"
    /// Two siblings with one name.
    case duplicateName = "spec.duplicate_name"
    /// A reference or an edge to an operation outside its scope.
    case unknownReference = "spec.unknown_reference"
    /// Operations that wait for each other.
    case dependencyCycle = "spec.dependency_cycle"
    /// More operations than allowed.
    case tooManyOperations = "spec.too_many_operations"
    /// Groups, conditions or predicates nested too deeply.
    case tooDeep = "spec.too_deep"
    /// A text that is not a duration.
    case badDuration = "spec.bad_duration"
    /// A text that is not a timestamp.
    case badTime = "spec.bad_time"
    /// A text that is not an absolute http or https URL.
    case badURL = "spec.bad_url"
    /// A URL with a user name or password in it.
    case unsafeURL = "spec.unsafe_url"
    /// A template that cannot be expanded.
    case badTemplate = "spec.bad_template"
    /// An unusable request method.
    case badMethod = "spec.bad_method"
    /// A request field that cannot be sent.
    case badHeader = "spec.bad_header"
    /// A text that is not a JSON Pointer into a result.
    case badPointer = "spec.bad_pointer"
    /// A text that is not a pattern.
    case badPattern = "spec.bad_pattern"
    /// A text that is not base 64.
    case badBase64 = "spec.bad_base64"
    /// A literal confidential value in a readable position.
    case literalSecret = "spec.literal_secret"
    /// A URL with a forbidden address.
    case egressBlocked = "egress.blocked"
}
