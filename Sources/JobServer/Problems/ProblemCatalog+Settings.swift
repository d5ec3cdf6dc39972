extension ProblemCatalog {
    /// Problems of bulk actions.
    static func historyEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .historyTooLong:
            ProblemEntry(
                status: 422, title: "The history of the job is too long",
                meaning: "The answer would need more than 100,000 entries of its journal at once.",
                remedy: "Read …/events, page by page.")
        default: nil
        }
    }

    static func uploadEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .uploadNotFound:
            ProblemEntry(
                status: 404, title: "There is no such upload",
                meaning:
                    "No upload has this id. They are kept for 24 hours, and longer while a job uses them.",
                remedy: "Send the content with POST /v1/artifacts, and use the id of the answer.")
        case .uploadInUse:
            ProblemEntry(
                status: 409, title: "A job uses the upload",
                meaning: "A job that is not erased names the upload, so that it can be run again.",
                remedy: "Erase the job first. An unused upload goes by itself.")
        case .callbackNotFound:
            ProblemEntry(
                status: 404, title: "There is no such callback URL",
                meaning: "No server of this store has made the URL, or its job is erased.",
                remedy: "Use the URL that was handed out, unchanged.")
        case .callbackUnverified:
            ProblemEntry(
                status: 401, title: "The sender could not be verified",
                meaning: "The operation says how its sender signs, and this request is not signed so.",
                remedy: "Sign the bytes of the body with the key of the secret that `verify` names.")
        case .callbackUnready:
            ProblemEntry(
                status: 503, title: "The callback URL has no key", retryable: true,
                meaning: "The secret that `verify` names does not exist, so that no sender can be verified.",
                remedy: "Store the key of the sender: PUT /v1/secrets/{name}.")
        case .callbackTaken:
            ProblemEntry(
                status: 409, title: "Another request ended the wait before",
                meaning: "The first request counts. The same body again would be answered with 200.",
                remedy: "Do not send it again.")
        case .callbackOver:
            ProblemEntry(
                status: 410, title: "The wait is over",
                meaning:
                    "It ended without a request: by its timeout, or because it was cancelled or restarted.",
                remedy: "Do not send it again.")
        case .uploadDigest:
            ProblemEntry(
                status: 400, title: "The content is not the one that was announced",
                meaning:
                    "Content-Digest has another SHA-256 than the content that arrived. Nothing was stored.",
                remedy: "Send the content again, or correct the digest.")
        case .uploadsFull:
            ProblemEntry(
                status: 429, title: "There are too many uploads", retryable: true,
                meaning: "100,000 uploads are kept. Nothing was stored.",
                remedy: "Delete some with DELETE /v1/artifacts/{id}, or wait until some have expired.")
        default: nil
        }
    }

    static func hookEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .hookNotFound:
            ProblemEntry(
                status: 404, title: "There is no such hook", meaning: "No hook has this name.",
                remedy: "GET /v1/hooks lists them, PUT stores one.")
        case .hookRefused:
            ProblemEntry(
                status: 401, title: "The request is not its sender's",
                meaning: "The signature or the credentials are missing, wrong or too old. Nothing was done.",
                remedy:
                    "Compare the key of the sender with the secret that \"verify\" names, and look at the clocks."
            )
        case .hookRate:
            ProblemEntry(
                status: 429, title: "The hook gets too many deliveries", retryable: true,
                meaning: "More come than its rate permits. Nothing was stored.",
                remedy: "Send it again after the Retry-After time, or raise rate of the hook.")
        case .hookUnready:
            ProblemEntry(
                status: 503, title: "The hook has no key", retryable: true,
                meaning:
                    "None of the secrets that \"verify\" names exists, so that no sender can be verified.",
                remedy: "Store the key of the sender: PUT /v1/secrets/{name}.")
        case .hookUnfit:
            ProblemEntry(
                status: 422, title: "The delivery does not fit the hook",
                meaning: "No job or signal can be made of it. Nothing was done.",
                remedy:
                    "The detail names what is missing. Change the hook, and have the sender send the request again."
            )
        case .hookNoJob:
            ProblemEntry(
                status: 409, title: "No job takes the signal",
                meaning: "No unfinished job has the label or the unique key that the hook looks for.",
                remedy: "Senders that repeat a delivery reach a job that is submitted later.")
        case .deliveryNotFound:
            ProblemEntry(
                status: 404, title: "There is no such delivery",
                meaning: "No delivery to the hook has this id. They are kept for 7 days.",
                remedy: "GET /v1/hooks/{name}/deliveries lists them.")
        case .deliveryGone:
            ProblemEntry(
                status: 409, title: "The content of the delivery is not kept",
                meaning: "Repetitions are kept without their content, and most that are refused.",
                remedy: "Replay the delivery that it repeats, or have the sender send it again.")
        default: nil
        }
    }

    static func bulkEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .bulkNotFound:
            ProblemEntry(
                status: 404, title: "There is no such bulk action",
                meaning: "No bulk action has this id. They are kept for 30 days after their end.",
                remedy: "GET /v1/bulk-actions lists them.")
        case .bulkTooLarge:
            ProblemEntry(
                status: 422, title: "The filter matches too many jobs",
                meaning: "One bulk action takes 1,000,000 jobs. Nothing was changed.",
                remedy: "Narrow the filter, with created_to for example, and repeat it for the rest.")
        case .bulksFull:
            ProblemEntry(
                status: 429, title: "There are too many bulk actions", retryable: true,
                meaning: "100 bulk actions are running. Nothing was changed.",
                remedy: "Try again when some are over: GET /v1/bulk-actions lists them.")
        default: nil
        }
    }

    /// Problems of schedules, and of conditional changes.
    static func scheduleEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .scheduleNotFound:
            ProblemEntry(
                status: 404, title: "There is no such schedule",
                meaning: "No schedule has this name.", remedy: "GET /v1/schedules lists them.")
        case .schedulesFull:
            ProblemEntry(
                status: 409, title: "There are too many schedules",
                meaning: "One server holds 1,000 schedules.",
                remedy: "Delete schedules that are over or not needed; their jobs go on.")
        case .scheduleOverlap:
            ProblemEntry(
                status: 409, title: "A job of the schedule has not ended",
                meaning:
                    "The schedule says that its jobs do not overlap; job_id names the job that has not ended.",
                remedy: "Wait for that job or cancel it, or send {\"overlap\": \"allow\"}.")
        case .preconditionFailed:
            ProblemEntry(
                status: 412, title: "The resource has changed",
                meaning: "It was changed, created or removed since you read it; nothing was done.",
                remedy: "Read it again, apply the change to what is there, and send its ETag.")
        case .backfillActive:
            ProblemEntry(
                status: 409,
                title: "A backfill of the schedule is in progress",
                meaning: "A schedule has one backfill at a time.",
                remedy: "Wait until backfill is gone from GET /v1/schedules/{name}.")
        default: nil
        }
    }

    /// Problems of secrets, connections, queues and origins.
    static func settingEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .secretNotFound:
            ProblemEntry(
                status: 404, title: "There is no such secret",
                meaning: "No secret has this name.", remedy: "GET /v1/secrets lists them.")
        case .secretKeyMismatch:
            ProblemEntry(
                status: 409, title: "The servers have different secret keys",
                meaning: "A server that shares the store could not open the secret. It was not stored.",
                remedy: "Start all servers with the same --secret-key-file.")
        case .connectionNotFound:
            ProblemEntry(
                status: 404, title: "There is no such connection",
                meaning: "No connection has this name.", remedy: "GET /v1/connections lists them.")
        case .settingsFull:
            ProblemEntry(
                status: 409, title: "Too many settings of this kind",
                meaning:
                    "One server holds 1,000 settings of each kind: secrets, connections, queues, origins.",
                remedy: "Delete some that are no longer needed.")
        case .originNotFound:
            ProblemEntry(
                status: 404, title: "Nothing is known about this host",
                meaning:
                    "No job has called it recently. Origins are forgotten when no job calls them, and at a restart.",
                remedy: "Look at the list: GET /v1/origins.")
        case .queueNotFound:
            ProblemEntry(
                status: 404, title: "There is no such queue",
                meaning: "No queue of this name has a configuration or jobs.",
                remedy: "GET /v1/queues lists them. PUT gives a queue a configuration.")
        case .queueHasNoRoom:
            ProblemEntry(
                status: 429, title: "The queue is full", retryable: true,
                meaning: "As many jobs of the queue wait as its max_waiting permits; nothing was created.",
                remedy: "Try again when some have begun, or raise max_waiting of the queue.")
        default: nil
        }
    }
}
