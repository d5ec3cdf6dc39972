extension JournalFold {
    /// The artifacts among the results that references may read into memory, see `OperationResult.readBytesMax`.
    package var readableArtifacts: [ArtifactReference] {
        histories.values.compactMap { $0.isEndedPart ? nil : $0.ending?.result?.artifact }.filter {
            $0.bytes <= OperationResult.readBytesMax
        }
    }
}
