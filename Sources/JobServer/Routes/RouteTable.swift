import HTTPMessage
import JobSpec

/// The routes of the API, one line each. `openapi.yaml` lists the same; a test compares the two.
enum RouteTable {
    /// The maximum body size of small commands.
    static let commandBytesMax = 16 << 10
    /// The maximum size of a job spec.
    static let specBytesMax = 1 << 20

    static let routes: [Route] = [
        Route(
            .post, "/v1/jobs", scope: .write, isSubmission: true, bodyBytesMax: specBytesMax, makesWork: true,
            mayRead: false,
            repetition: .isKeyed, handler: SubmitJob.handle),
        Route(
            .post, "/v1/jobs:batch", scope: .write, isSubmission: true, bodyBytesMax: SubmitBatch.bytesMax,
            makesWork: true,
            mayRead: false,
            repetition: .isKeyed, handler: SubmitBatch.handle),
        Route(.get, "/v1/jobs/{id}", scope: .read, readsJob: true, handler: ReadJob.handle),
        Route(.get, "/v1/jobs", scope: .read, handler: ListJobs.handle),
        Route(.get, "/v1/jobs:count", scope: .read, handler: CountJobs.handle),
        Route(
            .delete, "/v1/jobs/{id}", scope: .write, bodyBytesMax: commandBytesMax, handler: EraseJob.handle),
        Route(.get, "/v1/jobs/{id}/result", scope: .read, answersJSON: false, handler: ReadResult.handle),
        Route(.get, "/v1/jobs/{id}/artifacts", scope: .read, handler: ReadArtifacts.list),
        Route(
            .get, "/v1/jobs/{id}/artifacts/{name}", scope: .read, answersJSON: false,
            handler: ReadArtifacts.one),
        Route(.get, "/v1/jobs/{id}/spec", scope: .read, answersJSON: false, handler: ReadSpec.handle),
        Route(.get, "/v1/jobs/{id}/operations", scope: .read, handler: ListOperations.handle),
        Route(
            .post, "/v1/jobs/{id}/operations", scope: .write, bodyBytesMax: AddMember.bytesMax,
            makesWork: true,
            repetition: .ofMember, handler: AddMember.handle),
        Route(
            .get, "/v1/jobs/{id}/operations/{path}/result", scope: .read, answersJSON: false,
            handler: ReadOperation.result),
        Route(.get, "/v1/jobs/{id}/operations/{path}", scope: .read, handler: ReadOperation.view),
        Route(.get, "/v1/jobs/{id}/explain", scope: .read, handler: ExplainJob.handle),
        Route(
            .get, "/v1/jobs/{id}/attempts", scope: .read, answersJSON: false, handler: ListAttempts.handle),
        Route(.get, "/v1/jobs/{id}/events", scope: .read, answersJSON: false, handler: ListEvents.handle),
        Route(
            .get, "/v1/events", scope: .read, answersJSON: false, mayRead: false, handler: StreamEvents.handle
        ),
        Route(
            .post, "/v1/jobs/{id}:cancel", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: CancelJob.handle),
        Route(
            .post, "/v1/jobs/{id}:retry", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .ofRetry, handler: RetryJob.handle),
        Route(
            .post, "/v1/jobs/{id}:requeue", scope: .write, bodyBytesMax: commandBytesMax, makesWork: true,
            repetition: .isKeyed, handler: RequeueJob.handle),
        Route(
            .post, "/v1/jobs/{id}:hold", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: HoldJob.hold),
        Route(
            .post, "/v1/jobs/{id}:release", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: HoldJob.release),
        Route(
            .post, "/v1/jobs/{id}/signals/{name}", scope: .write, bodyBytesMax: SendSignal.bytesMax,
            repetition: .ofSignal, handler: SendSignal.handle),
        Route(.get, "/v1/stats", scope: .read, handler: ReadStats.handle),
        Route(.get, "/v1/failures", scope: .read, handler: ListFailures.handle),
        Route(.get, "/v1/approvals", scope: .read, handler: ListApprovals.handle),
        Route(.get, "/v1/approvals/{id}", scope: .read, handler: ReadApproval.handle),
        Route(
            .post, "/v1/approvals/{id}:approve", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: DecideApproval.approve),
        Route(
            .post, "/v1/approvals/{id}:reject", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: DecideApproval.reject),
        Route(.get, "/v1/grants", scope: .read, handler: ReadGrants.list),
        Route(.get, "/v1/grants/{name}", scope: .read, handler: ReadGrants.one),
        Route(
            .put, "/v1/grants/{name}", scope: .write, bodyBytesMax: commandBytesMax,
            preconditions: .ofVersion,
            handler: DecideGrant.put),
        Route(
            .delete, "/v1/grants/{name}", scope: .write, bodyBytesMax: commandBytesMax,
            preconditions: .ofVersion,
            handler: DecideGrant.delete),
        Route(
            .put, "/v1/templates/{name}", scope: .write, bodyBytesMax: specBytesMax,
            preconditions: .ofVersion,
            handler: Templates.put),
        Route(.get, "/v1/templates/{name}", scope: .read, handler: Templates.read),
        Route(
            .delete, "/v1/templates/{name}", scope: .write, preconditions: .ofVersion,
            handler: Templates.delete),
        Route(.get, "/v1/templates", scope: .read, handler: Templates.list),
        Route(
            .put, "/v1/secrets/{name}", scope: .admin, bodyBytesMax: Secrets.bodyBytesMax,
            preconditions: .ofVersion,
            handler: Secrets.put),
        Route(.get, "/v1/secrets/{name}", scope: .read, handler: Secrets.read),
        Route(
            .delete, "/v1/secrets/{name}", scope: .admin, preconditions: .ofVersion,
            handler: Secrets.delete),
        Route(.get, "/v1/secrets", scope: .read, handler: Secrets.list),
        Route(
            .put, "/v1/connections/{name}", scope: .admin, bodyBytesMax: specBytesMax,
            preconditions: .ofVersion,
            handler: Connections.put),
        Route(.get, "/v1/connections/{name}", scope: .read, handler: Connections.read),
        Route(
            .delete, "/v1/connections/{name}", scope: .admin, preconditions: .ofVersion,
            handler: Connections.delete),
        Route(
            .post, "/v1/connections/{name}:test", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .ofTest, handler: Connections.test),
        Route(.get, "/v1/connections", scope: .read, handler: Connections.list),
        Route(
            .put, "/v1/queues/{name}", scope: .admin, bodyBytesMax: commandBytesMax,
            preconditions: .ofVersion,
            handler: Queues.put),
        Route(.get, "/v1/queues/{name}", scope: .read, handler: Queues.read),
        Route(.get, "/v1/queues/{name}/keys", scope: .read, handler: Queues.keys),
        Route(
            .delete, "/v1/queues/{name}", scope: .admin, preconditions: .ofVersion, handler: Queues.delete),
        Route(
            .post, "/v1/queues/{name}:pause", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: Queues.pause),
        Route(
            .post, "/v1/queues/{name}:resume", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: Queues.resume),
        Route(.get, "/v1/queues", scope: .read, handler: Queues.list),
        Route(
            .put, "/v1/schedules/{name}", scope: .write, bodyBytesMax: specBytesMax,
            preconditions: .ofVersion,
            handler: PutSchedule.handle),
        Route(.get, "/v1/schedules/{name}", scope: .read, handler: Schedules.read),
        Route(
            .delete, "/v1/schedules/{name}", scope: .write, preconditions: .ofVersion,
            handler: Schedules.delete),
        Route(.get, "/v1/schedules", scope: .read, handler: Schedules.list),
        Route(.get, "/v1/schedules/{name}/occurrences", scope: .read, handler: ListOccurrences.handle),
        Route(.get, "/v1/schedules/{name}/upcoming", scope: .read, handler: ListUpcoming.handle),
        Route(
            .post, "/v1/schedules/{name}:run", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isKeyed, handler: RunSchedule.handle),
        Route(
            .post, "/v1/schedules/{name}:pause", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: PauseSchedule.pause),
        Route(
            .post, "/v1/schedules/{name}:resume", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: PauseSchedule.resume),
        Route(
            .post, "/v1/schedules/{name}:backfill", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .ofBackfill, handler: BackfillSchedule.handle),
        Route(
            .put, "/v1/hooks/{name}", scope: .write, bodyBytesMax: specBytesMax, preconditions: .ofVersion,
            handler: Hooks.put),
        Route(.get, "/v1/hooks/{name}", scope: .read, handler: Hooks.read),
        Route(
            .delete, "/v1/hooks/{name}", scope: .write, preconditions: .ofVersion, handler: Hooks.delete),
        Route(.get, "/v1/hooks", scope: .read, handler: Hooks.list),
        Route(.get, "/v1/hooks/{name}/deliveries", scope: .read, handler: Deliveries.list),
        Route(
            .post, "/v1/hooks/{name}/deliveries:replay", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .ofReplay, handler: Deliveries.replayMany),
        Route(
            .post, "/v1/hooks/{name}/deliveries/{id}:replay", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .ofReplay, handler: Deliveries.replay),
        Route(.get, "/v1/hooks/{name}/deliveries/{id}", scope: .read, handler: Deliveries.read),
        Route(
            .post, "/hooks/{name}", scope: nil, bodyBytesMax: HookSpec.bytesMax, makesWork: true,
            answersJSON: false, repetition: .isHarmless, handler: ReceiveHook.handle),
        Route(
            .post, "/hooks/{tenant}/{name}", scope: nil, bodyBytesMax: HookSpec.bytesMax, makesWork: true,
            answersJSON: false, repetition: .isHarmless, handler: ReceiveHook.handle),
        Route(
            .post, "/v1/bulk-actions", scope: .write, bodyBytesMax: CreateBulk.bytesMax, repetition: .ofBulk,
            handler: CreateBulk.handle),
        Route(.get, "/v1/bulk-actions", scope: .read, handler: Bulks.list),
        Route(.get, "/v1/bulk-actions/{id}", scope: .read, handler: Bulks.read),
        Route(.get, "/v1/bulk-actions/{id}/results", scope: .read, handler: Bulks.results),
        Route(
            .post, "/v1/bulk-actions/{id}:cancel", scope: .write, bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: Bulks.cancel),
        Route(
            .post, "/v1/artifacts", scope: .write, isSubmission: true, mayRead: false, repetition: .ofUpload,
            makeSink: { door, head, caller, peer, refuse throws(Problem) in
                try UploadSink.begin(door, head, caller, peer, refuse: refuse)
            }, handler: Uploads.create),
        Route(.get, "/v1/artifacts", scope: .read, handler: Uploads.list),
        Route(.get, "/v1/artifacts/{id}", scope: .read, handler: Uploads.read),
        Route(
            .get, "/v1/artifacts/{id}/content", scope: .read, answersJSON: false, handler: Uploads.content),
        Route(.delete, "/v1/artifacts/{id}", scope: .write, handler: Uploads.delete),
        Route(
            .get, "/callbacks/{token}", scope: nil, answersJSON: false, handler: ConfirmPage.handle),
        callback(.post), callback(.put),
        Route(
            .post, "/callbacks/{token}/heartbeat", scope: nil, bodyBytesMax: commandBytesMax,
            answersJSON: false, repetition: .isHarmless, handler: ReceiveCallback.heartbeat),
        Route(
            .post, "/callbacks/{token}/progress", scope: nil, bodyBytesMax: commandBytesMax,
            answersJSON: false, repetition: .isHarmless, handler: ReceiveCallback.progress),
        Route(
            .post, "/callbacks/{token}/fail", scope: nil, bodyBytesMax: commandBytesMax,
            answersJSON: false, repetition: .isHarmless, handler: ReceiveCallback.fail),
        Route(.get, "/v1/audit", scope: .admin, answersJSON: false, handler: ListAudit.handle),
        Route(.get, "/v1/servers", scope: .read, isForOperators: true, handler: ListServers.handle),
        Route(.get, "/v1/origins", scope: .read, isForOperators: true, handler: Origins.list),
        Route(.get, "/v1/origins/{origin}", scope: .read, isForOperators: true, handler: Origins.read),
        Route(
            .post, "/v1/origins/{origin}:reset", scope: .write, isForOperators: true,
            bodyBytesMax: commandBytesMax,
            repetition: .isHarmless, handler: Origins.reset),
        Route(.get, "/v1/hosts", scope: .read, isForOperators: true, handler: HostLimits.list),
        Route(.get, "/v1/hosts/{host}/limits", scope: .read, isForOperators: true, handler: HostLimits.read),
        Route(
            .put, "/v1/hosts/{host}/limits", scope: .admin, isForOperators: true,
            bodyBytesMax: commandBytesMax,
            preconditions: .ofVersion, handler: HostLimits.put),
        Route(
            .delete, "/v1/hosts/{host}/limits", scope: .admin, isForOperators: true,
            preconditions: .ofVersion, handler: HostLimits.delete),
        Route(.get, "/v1", scope: nil, handler: StartPage.index),
        Route(.get, "/v1/problems", scope: nil, handler: ProblemPage.list),
        Route(.get, "/v1/problems/{code}", scope: nil, handler: ProblemPage.handle),
        Route(.get, "/openapi.yaml", scope: nil, answersJSON: false, handler: Description.yaml),
        Route(.get, "/openapi.json", scope: nil, handler: Description.json),
        Route(.get, "/healthz", scope: nil, handler: Health.alive),
        Route(.get, "/readyz", scope: nil, handler: Health.ready),
        Route(
            .get, "/metrics", scope: .read, isForOperators: true, answersJSON: false, mayRead: false,
            handler: MetricsPage.handle),
    ]

    /// Completes a wait, whatever the body is.
    private static func callback(_ method: HTTPMethod) -> Route {
        Route(
            method, "/callbacks/{token}", scope: nil, answersJSON: false, repetition: .isHarmless,
            makeSink: { door, head, caller, peer, refuse throws(Problem) in
                try CallbackSink.begin(door, head, caller, peer, refuse: refuse)
            }, handler: ReceiveCallback.complete)
    }

    static let router = Router(routes + PageRoutes.routes)

    /// The routes that strangers may reach.
    static let publicRouter = Router(routes.filter { PublicPaths.contain($0.pattern) })
}
