internal import StrictJSON

extension JobSpec {
    /// The problem of the first of the server's own labels that the spec has.
    package var reservedLabelProblem: SpecProblem? {
        for label in labels {
            guard let own = ReservedLabel(rawValue: label.key) else { continue }
            return SpecProblem(
                pointer: JSONPointer.root.appending("labels").appending(label.key),
                code: SpecProblemCode.notAvailable.rawValue, detail: own.detail)
        }
        return nil
    }
}
