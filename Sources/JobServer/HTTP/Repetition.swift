/// The effect of sending a request again, and so of its `Idempotency-Key`. A key that is not honoured is refused rather
/// than ignored: a client that sends one relies on it.
enum Repetition: Sendable {
    /// Two equal requests do what one does. A key is permitted, and not needed.
    case isHarmless
    /// The handler honours the key: the second request finds what the first one made.
    case isKeyed
    /// It acts again. A key is refused; the text says how to act once.
    case acts(once: String)

    static let unknown = Repetition.acts(once: "Look whether it was done before you send it again.")
}

/// The repetitions of the routes that act again.
extension Repetition {
    static let ofMember = Repetition.acts(
        once: "Give the member a \"name\": a second one with the same name is refused.")
    static let ofRetry = Repetition.acts(
        once:
            "A job that has not ended is not retried (409). Read the job before you send this again: another "
            + "finished_at is another end.")
    static let ofSignal = Repetition.acts(
        once:
            "Signals that have arrived are listed in the job's events: look there before you send it again. Or "
            + "give each wait a signal name of its own: no other wait takes a second one.")
    static let ofBulk = Repetition.acts(
        once:
            "GET /v1/bulk-actions lists the actions, newest first: look there before you send it again. One that was "
            + "created goes on by itself.")
    static let ofUpload = Repetition.acts(
        once:
            "GET /v1/artifacts lists the uploads, newest first: look there for its digest before you send it again. "
            + "One that no job uses goes by itself.")
    static let ofBackfill = Repetition.acts(
        once: "With \"only\": \"missing\", the default, no planned time that has a job gets a second one.")
    static let ofReplay = Repetition.acts(
        once:
            "A replay is a new delivery: look for it in GET /v1/hooks/{name}/deliveries before you send it again."
    )
    static let ofTest = Repetition.acts(
        once: "Each test submits a job that makes one call: look for it in GET /v1/jobs?name=test.")
}
