internal import JobKit
internal import JobStore

/// The callback URLs of one job, and what came to them according to the store.
final class StoredCallbacks: CallbackDesk {
    /// The pause before the store is asked again after a failure that passes.
    private static let pause = Duration.milliseconds(500)

    private let id: JobID
    private let store: any JobStore
    private let makeURL: (@Sendable (JobID, CallbackPlace) -> String)?
    private let clock: any OperationClock
    private let retries: Int

    /// - Parameters:
    ///   - url: makes URLs; nil is a server that has none.
    ///   - retries: the retries of the job by people.
    init(
        of id: JobID, in store: any JobStore, clock: any OperationClock, retries: Int,
        url: (@Sendable (JobID, CallbackPlace) -> String)?
    ) {
        self.id = id
        self.store = store
        self.clock = clock
        self.retries = retries
        makeURL = url
    }

    func url(of place: CallbackPlace) throws(AOperationError) -> String {
        if let makeURL { return makeURL(id, place) }
        var error = AOperationError(
            .callbackUnavailable,
            detail:
                "This server does not know the URL at which others reach it, so it has no callback URLs. Start it with "
                + "--public-url, then retry the job.")
        error.delivery = "not_sent"
        throw error
    }

    func close(_ place: CallbackPlace, heard: Timestamp?) async throws(AOperationError) -> CallbackClosing {
        let end = CallbackEnd(id, place, at: clock.now, retries: retries, heard: heard)
        while true {
            do throws(JobStoreError) { return try await store.perform(end) } catch {
                guard error.isRetryable else {
                    throw AOperationError(
                        .interrupted, detail: "The end of the wait could not be stored: \(error.detail)")
                }
            }
            do { try await clock.sleep(until: clock.now.advanced(by: Self.pause)) } catch {
                throw AOperationError(.cancelledUser, detail: "The wait was stopped.")
            }
        }
    }
}
