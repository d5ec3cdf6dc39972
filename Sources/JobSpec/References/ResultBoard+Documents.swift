internal import JobKit
internal import StrictJSON

extension ResultBoard {
    /// The document that references to the operation at `path` see; nil while it has none. Within one evaluation it is
    /// made once.
    func document(
        at path: [String], with use: OperationResult.BodyUse, _ meter: StepMeter
    ) throws(AOperationError) -> ResultDocument? {
        if let known = meter.document(at: path, for: use) { return known }
        guard let ending = ending(at: path) else { return nil }
        let document = try document(of: ending, with: use, meter)
        if let document {
            let content = use == .reading ? ending.result?.byteCount : ending.result?.body.count
            meter.remember(document, at: path, for: use, bytes: use == .none ? 0 : content ?? 0)
        }
        return document
    }

    /// The document that references to an ended operation see: its result, or its state and error.
    /// - Parameter use: the requested use of the content.
    func document(
        of ending: OperationEnding, with use: OperationResult.BodyUse, _ meter: StepMeter
    ) throws(AOperationError) -> ResultDocument? {
        if ending.state == .succeeded {
            let result = ending.result ?? .empty
            var document = try result.document(with: use, from: artifacts, meter)
            guard case .object(var object) = document.value else { return nil }
            object["state"] = .string(ending.state.rawValue)
            document.value = .object(object)
            return document
        }
        guard let error = ending.errors.first else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("state", ending.state.rawValue)
        writer.name("error")
        error.writeShown(to: &writer)
        writer.endObject()
        let bytes = writer.bytes
        try meter.spend(8 * bytes.count, on: .reading)
        return (try? JSONParser.parse(bytes, limits: .written(bytes))).map(ResultDocument.init)
    }
}
