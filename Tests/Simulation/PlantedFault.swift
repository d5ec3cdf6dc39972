/// A fault of the product that a control plants, to show that the simulation finds it.
enum PlantedFault: String, CaseIterable {
    /// A server that starts recovers the jobs of living servers, too.
    case recoverEverybody = "recover-everybody"
    /// A server goes on with the limits of queues that it read first.
    case staleCache = "stale-cache"
    /// A request to cancel a job does not reach the server that runs it.
    case lostCancellation = "lost-cancellation"
}
