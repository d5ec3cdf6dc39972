internal import StrictJSON

/// Hands out the callback URLs of operations of a job in the requests of another one.
package struct CallbackHandout: Sendable {
    let core: OperationCore

    /// The URL of the operation at `path`. That it is handed out is recorded before the request is sent.
    /// - Throws: `callback.unavailable`.
    func url(of path: [String]) throws(AOperationError) -> String {
        let environment = core.environment
        guard let desk = environment.callbacks, let journal = environment.journal else {
            throw AOperationError(
                .callbackUnavailable, detail: "Only a job of a server has callback URLs.")
        }
        let fold = journal.fold
        let place = fold.callbackPlace(at: path)
        let url = try desk.url(of: place)
        // Before it is used: whatever is captured is redacted.
        environment.scrubber.know(callbackURL: url)
        let note = JSONValue.object(
            JSONObject([
                ("round", .number(JSONNumber(Int64(place.round)))),
                ("by", .string(OperationAddress.text(of: core.path))),
            ]))
        if fold.callbackNote(at: path) != note {
            journal.record(
                JournalEntry(
                    at: environment.clock.now, path: path,
                    event: .noted(name: NoteName.handedOut, value: note)))
        }
        return url
    }
}

extension JournalFold {
    fileprivate func callbackNote(at path: [String]) -> JSONValue? {
        histories[path]?.notes[NoteName.handedOut]
    }
}
