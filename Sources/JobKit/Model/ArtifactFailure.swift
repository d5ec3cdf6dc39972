internal import HTTPMessage

/// Content could not be stored or read.
package struct ArtifactFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no space on the disk; safe to try again when there is.
        case full
        /// The files cannot be read or written; safe to try again.
        case unavailable
        /// The content no longer exists, or is incomplete.
        case missing
        /// The artifact is too large to be read into memory.
        case tooLarge
    }

    /// The kind of failure.
    package var code: Code
    /// The failed task, and a remedy for the operator of the server.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The code of the error that an operation ends with.
    package var errorCode: ErrorCode {
        switch code {
        case .full: .storageFull
        case .unavailable: .storage
        case .missing: .storageMissing
        case .tooLarge: .referenceTooLarge
        }
    }
}

extension AOperationError {
    /// Content could not be kept or read.
    package init(artifact failure: ArtifactFailure) {
        self.init(failure.errorCode, detail: failure.detail)
        phase = "storage"
        retryable = failure.code == .full || failure.code == .unavailable
    }
}

extension HTTPCallFailure {
    /// A call that was ended because its content could not be stored.
    package init(artifact failure: ArtifactFailure) {
        self.init(
            code: failure.errorCode.description, detail: failure.detail, phase: .receive,
            delivery: .answered)
    }
}
