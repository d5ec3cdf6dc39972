public import StrictJSON

/// One thing that is wrong with a job spec.
public struct SpecProblem: Error, Sendable, Hashable {
    /// The place: the value that is wrong, or the object that lacks something.
    public var pointer: JSONPointer
    /// A code for programs: `json.…`, `spec.…` or `egress.blocked`.
    public var code: String
    /// A sentence for people, with the remedy.
    public var detail: String
    /// A replacement, where there is one.
    public var suggestion: String?

    /// A problem.
    public init(pointer: JSONPointer, code: String, detail: String, suggestion: String? = nil) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.suggestion = suggestion
    }

    /// The detail with its place in front, which the whole document does not need: `At "/request/url": …`.
    public var sentence: String { pointer == .root ? detail : "At \"\(pointer)\": \(detail)" }
}

/// Everything that is wrong with a job spec, in the order of the spec as far as possible; never empty.
public struct SpecProblems: Error, Sendable, Hashable {
    /// The problems.
    public var list: [SpecProblem]
    /// Whether there were more than are listed.
    public var isCut: Bool

    /// Problems.
    public init(_ list: [SpecProblem], isCut: Bool = false) {
        self.list = list
        self.isCut = isCut
    }
}

/// The codes of problems that the reader of specs finds. The reader of JSON adds its own (`json.…`).
public enum SpecProblemCode: String, Sendable, Hashable, CaseIterable {
    /// A member that does not exist at this place.
    case unknownMember = "spec.unknown_member"
    /// A `type` that does not exist.
    case unknownType = "spec.unknown_type"
    /// A word that is none of those allowed.
    case unknownWord = "spec.unknown_word"
    /// Something that must be there is not.
    case missingMember = "spec.missing_member"
    /// A string where a number must be, and the like.
    case wrongType = "spec.wrong_type"
    /// A number, length or date outside its range.
    case outOfRange = "spec.out_of_range"
    /// Something is larger than allowed.
    case tooLarge = "spec.too_large"
    /// Members that exclude each other.
    case conflict = "spec.conflict"
    /// A member of the job in an operation.
    case rootOnly = "spec.root_only"
    /// A member that exists and does nothing at this place, or a binding that this server does not have.
    case notAvailable = "spec.not_available"
    /// A name of another form than `[a-z][a-z0-9_-]{0,62}`.
    case badName = "spec.bad_name"
    /// Two siblings with one name.
    case duplicateName = "spec.duplicate_name"
    /// A reference or an edge to an operation that cannot be seen from there.
    case unknownReference = "spec.unknown_reference"
    /// Operations that wait for each other.
    case dependencyCycle = "spec.dependency_cycle"
    /// More operations than allowed.
    case tooManyOperations = "spec.too_many_operations"
    /// Groups, conditions or predicates nested too deeply.
    case tooDeep = "spec.too_deep"
    /// A text that is no duration.
    case badDuration = "spec.bad_duration"
    /// A text that is no time.
    case badTime = "spec.bad_time"
    /// A text that is no absolute http or https URL.
    case badURL = "spec.bad_url"
    /// A URL with a user name or password in it.
    case unsafeURL = "spec.unsafe_url"
    /// A template that cannot be expanded.
    case badTemplate = "spec.bad_template"
    /// A request method that cannot be used.
    case badMethod = "spec.bad_method"
    /// A request field that cannot be sent.
    case badHeader = "spec.bad_header"
    /// A text that is no JSON Pointer into a result.
    case badPointer = "spec.bad_pointer"
    /// A text that is no pattern.
    case badPattern = "spec.bad_pattern"
    /// A text that is not base 64.
    case badBase64 = "spec.bad_base64"
    /// A confidential value where others can read it.
    case literalSecret = "spec.literal_secret"
    /// A URL with an address that may not be called.
    case egressBlocked = "egress.blocked"
}
