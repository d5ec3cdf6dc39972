package import JobKit

/// Reads of deliveries to hooks.
package protocol DeliveryReads: Sendable {
    /// A delivery with its head and body; nil when there is none.
    func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord?

    /// Up to `limit` (1…10,000) deliveries to a hook before `id` (nil for all), the newest first, without head and
    /// body.
    /// - Parameter outcome: nil for any.
    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord]
}
