import JobSpec
import StrictJSON

extension SpecProblem {
    /// The problem of parameters that cannot be decoded.
    /// - Parameter place: the position of the parameters.
    init(_ error: any Error, at place: JSONPointer) {
        guard let error = error as? DecodingError else {
            self.init(
                pointer: place, code: SpecProblemCode.wrongType.rawValue, detail: String(describing: error))
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.missingMember.rawValue,
                detail: "\"\(key.stringValue)\" is missing.")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.wrongType.rawValue,
                detail: context.debugDescription)
        case .dataCorrupted(let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.outOfRange.rawValue,
                detail: context.debugDescription)
        @unknown default:
            self.init(
                pointer: place, code: SpecProblemCode.wrongType.rawValue, detail: String(describing: error))
        }
    }
}

extension JSONPointer {
    fileprivate func appending(_ path: [any CodingKey]) -> JSONPointer {
        path.reduce(self) { pointer, key in
            key.intValue.map { pointer.appending($0) } ?? pointer.appending(key.stringValue)
        }
    }
}
