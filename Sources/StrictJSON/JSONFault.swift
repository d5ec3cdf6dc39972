/// A problem that propagates through the reader; each container adds its step.
struct JSONFault: Error {
    let code: JSONParseError.Code
    let detail: String
    let offset: Int
    /// The steps to the problem, innermost first.
    private(set) var stepsOutwards: [String] = []

    init(_ code: JSONParseError.Code, at offset: Int, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    /// The same fault, seen from the enclosing object or array.
    func inside(_ step: String) -> JSONFault {
        var fault = self
        fault.stepsOutwards.append(step)
        return fault
    }
}
