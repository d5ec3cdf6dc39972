internal import Commands

/// One thing that a command does: a request to the server, and the form in which its answer is shown.
struct ResourceVerb: Sendable {
    /// The word after the command; empty when the command does only this.
    var name: String
    /// The operands, as in the help.
    var operands: String
    var summary: String
    var method: String
    /// The path, in which `{}` stands for an operand.
    var path: String
    var inputs: [Input] = []
    var content = Content.members
    var output = Output.object

    /// A flag that becomes a parameter of the query or a member of the content.
    struct Input: Sendable {
        var flag: Flag
        /// The name in the request.
        var name: String
        var place: Place
        /// The value of a parameter where the flag is not given; the value `all` leaves the parameter out then.
        var standard: String?
    }

    enum Place: Sendable {
        case query
        case member
        /// A member whose value is a number.
        case number
        /// A member of any JSON value.
        case json
    }

    /// The content of the request.
    enum Content: Sendable {
        /// The members that flags set; none without them.
        case members
        /// A file in JSON or YAML, or `MEMBER=VALUE …`, which change those members of the stored spec.
        case settings
        /// `MEMBER=VALUE …` alone.
        case assignments
        /// A file or standard input, as a secret.
        case secret
        /// A file or standard input with any JSON, when it is named.
        case payload
        /// An action on all jobs that filters find.
        case bulk
        /// A delivery to a hook, or an outcome, of which all are replayed.
        case replay
        /// The use of a template with `PARAMETER=VALUE …`.
        case templateUse
    }

    /// The answer, for people.
    enum Output: Sendable {
        case object
        /// The id and the state of a job.
        case job
        /// The items, a line each, with these members.
        case list([String], isPaged: Bool)
        /// Nothing comes back: the operand and this word.
        case done(String)
        case json
    }

    /// Whether the first operand names a job.
    var isOfJob: Bool {
        path.utf8.starts(with: ServerPaths.jobs.utf8) && operands.utf8.starts(with: "ID".utf8)
    }
    /// Whether the request is made for each of the operands.
    var isForEach: Bool { operands.utf8.elementsEqual("ID…".utf8) }
    /// The number of operands that the path has.
    var placesCount: Int { path.utf8.count { $0 == UInt8(ascii: "{") } }

    /// The same with a flag more.
    func with(
        _ name: String, _ value: String, _ help: String, as member: String? = nil, _ place: Place = .query,
        standard: String? = nil
    ) -> ResourceVerb {
        var verb = self
        let flag = Flag(name: name, value: value, help: help, hasVariable: false)
        verb.inputs.append(Input(flag: flag, name: member ?? name, place: place, standard: standard))
        return verb
    }
}
