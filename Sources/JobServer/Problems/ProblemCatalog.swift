/// The meaning and the remedy of each kind of problem.
enum ProblemCatalog {
    static func entry(_ kind: ProblemKind) -> ProblemEntry {
        requestEntry(kind) ?? jobEntry(kind) ?? artifactEntry(kind) ?? peopleEntry(kind) ?? settingEntry(kind)
            ?? scheduleEntry(kind) ?? bulkEntry(kind) ?? uploadEntry(kind) ?? hookEntry(kind) ?? historyEntry(
                kind)
            ?? serverEntry(kind)
    }

    private static func requestEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .badRequest:
            ProblemEntry(
                status: 400, title: "The request is not valid HTTP/1.1",
                meaning: "The request breaks RFC 9112 or can be read in two ways. The connection is closed.",
                remedy: "Use a standards-compliant client; the detail names the part that is wrong.")
        case .malformedJSON:
            ProblemEntry(
                status: 400, title: "The body is not valid JSON",
                meaning: "The body breaks RFC 8259, has a repeated member, or is too deep.",
                remedy: "The detail and errors[] name line, column and pointer of the place.")
        case .invalidSpec:
            ProblemEntry(
                status: 422, title: "The spec has problems",
                meaning: "The body is JSON, but not a job that can be run. Nothing was created.",
                remedy:
                    "errors[] lists all problems, each with a pointer into the body and what to write instead."
            )
        case .invalidBody:
            ProblemEntry(
                status: 400, title: "The body is not what this endpoint takes",
                meaning: "The body is JSON, but has members or values that this endpoint does not know.",
                remedy: "errors[] names each of them.")
        case .invalidQuery:
            ProblemEntry(
                status: 400, title: "The query has problems",
                meaning: "A query parameter is unknown, repeated, or has an invalid value.",
                remedy: "errors[] names each of them, with the nearest known name.")
        case .invalidPageToken:
            ProblemEntry(
                status: 400, title: "The page token does not fit",
                meaning: "The page token is damaged, or was issued for other filters or another order.",
                remedy:
                    "Send the token with exactly the filters of the page that gave it, or begin without one.")
        case .invalidHeader:
            ProblemEntry(
                status: 400, title: "A header field has problems",
                meaning: "The value of a header field is not what its definition allows.",
                remedy: "The detail names the field and what it may hold.")
        case .unauthenticated:
            ProblemEntry(
                status: 401, title: "A valid bearer token is needed",
                meaning: "The request carries no token, or one that this server does not know.",
                remedy: "Send \"Authorization: Bearer js_…\". Make a token: jobserver token create.")
        case .forbidden:
            ProblemEntry(
                status: 403, title: "The token does not permit this",
                meaning: "The token is known, but lacks the scope that the endpoint asks for.",
                remedy: "Use a token with that scope: jobserver token create --scope read --scope write.")
        case .notFound:
            ProblemEntry(
                status: 404, title: "Nothing exists at this address",
                meaning: "The API has no such path.", remedy: "/openapi.yaml lists all paths.")
        case .methodNotAllowed:
            ProblemEntry(
                status: 405, title: "Method not allowed",
                meaning: "The path exists, but not for this method.",
                remedy: "The Allow field of the answer lists the methods.")
        default: laterRequestEntry(kind)
        }
    }

    private static func laterRequestEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .crossSite:
            ProblemEntry(
                status: 403, title: "A web page of another site sent the request",
                meaning:
                    "Origin or Sec-Fetch-Site says that another site's page wants to change something here.",
                remedy: "Send it from a program, or from a page of this server.")
        case .pageReadOnly:
            ProblemEntry(
                status: 403, title: "The page may only look",
                meaning: "A page in a browser wants to change something; the server has --page read.",
                remedy: "Do it with a program such as curl, or start the server with --page full.")
        case .misdirected:
            ProblemEntry(
                status: 421, title: "The request is for another host",
                meaning:
                    "The server asks for no tokens, and the Host field names a host that may be a stranger's.",
                remedy: "Use localhost or an address, name the host with --host-name, or use tokens.")
        case .notAcceptable:
            ProblemEntry(
                status: 406, title: "Not acceptable",
                meaning: "The Accept field excludes the only media type that this endpoint has.",
                remedy: "Send \"Accept: application/json\", or no Accept field.")
        case .requestTimeout:
            ProblemEntry(
                status: 408, title: "The request took too long", retryable: true,
                meaning: "The request did not arrive completely in time. The connection is closed.",
                remedy: "Send it again on a faster connection.")
        case .payloadTooLarge:
            ProblemEntry(
                status: 413, title: "The body is too large",
                meaning: "The body is larger than this endpoint takes: 1 MiB for a job spec.",
                remedy: "Make the spec smaller; send large content before with POST /v1/artifacts.")
        case .targetTooLong:
            ProblemEntry(
                status: 414, title: "The request target is too long",
                meaning: "Path and query together are longer than 8 KiB.",
                remedy: "Use fewer or shorter filters.")
        case .unsupportedMediaType:
            ProblemEntry(
                status: 415, title: "The body has a type that is not taken here",
                meaning:
                    "The Content-Type field says that the body is something else: JSON, nearly everywhere.",
                remedy: "curl -d says application/x-www-form-urlencoded: use --json, or -H "
                    + "'Content-Type: application/json'.")
        case .idempotencyKeyReused:
            ProblemEntry(
                status: 422,
                title: "The idempotency key belongs to another request",
                meaning: "A request with other content used this Idempotency-Key within the last 24 hours.",
                remedy: "Use a new key for a new job; job_id names the job that the key made.")
        case .idempotencyJobGone:
            ProblemEntry(
                status: 410,
                title: "The job of the idempotency key no longer exists",
                meaning: "The same request created a job within the last 24 hours, which is removed now.",
                remedy: "The work was accepted once; to run it again, use a new key.")
        case .headTooLarge:
            ProblemEntry(
                status: 431, title: "The header fields are too large",
                meaning: "The head is larger than 32 KiB or has more than 100 fields.",
                remedy: "Send less of them.")
        default: nil
        }
    }

    private static func artifactEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .artifactNotFound:
            ProblemEntry(
                status: 404, title: "The job has no such artifact",
                meaning: "No content of the job that is kept in a file has this name.",
                remedy: "GET …/artifacts lists them.")
        case .artifactGone:
            ProblemEntry(
                status: 410, title: "The content no longer exists",
                meaning: "The file with the content was removed or damaged outside the server.",
                remedy: "Run the job again to fetch it.")
        case .streamRestarted:
            ProblemEntry(
                status: 410, title: "The stream began anew",
                meaning: "The offset belongs to an attempt whose content another attempt has replaced.",
                remedy: "Drop what was read, and read from offset=-1 on.")
        case .rangeNotSatisfiable:
            ProblemEntry(
                status: 416, title: "There is no such part of the content",
                meaning: "The Range field asks for bytes beyond the end of the content.",
                remedy: "Content-Range says how long the content is.")
        default: nil
        }
    }

    private static func jobEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .jobNotFound:
            ProblemEntry(
                status: 404, title: "There is no such job",
                meaning: "No job has this id: it never existed, was erased, or its retention ended.",
                remedy:
                    "Ids are \"job_\" and 26 characters; compare it with the submission's Location field.")
        case .jobHasNoResult:
            ProblemEntry(
                status: 404, title: "There is no result",
                meaning:
                    "The job or operation ended without a result; error says why.",
                remedy: "Look at error of the job or operation, or try again with :retry.")
        case .operationNotFound:
            ProblemEntry(
                status: 404, title: "No such operation",
                meaning:
                    "The job has no operation with this path; members of a list are there once it is known.",
                remedy: "List them at …/operations.")
        case .jobNotFinished:
            ProblemEntry(
                status: 409, title: "The job is not finished",
                meaning: "Only a job that has ended can be erased, or submitted again.",
                remedy: "Wait for its end, or cancel it with :cancel.")
        case .invalidTransition:
            ProblemEntry(
                status: 409, title: "The job's state does not allow this",
                meaning: "The request needs the job in another state; the detail says which.",
                remedy: "Look at the job's state; submit a new job to run it again.")
        case .templateNotFound:
            ProblemEntry(
                status: 404, title: "There is no such template",
                meaning: "No template has this name, or not in this version.",
                remedy: "GET /v1/templates lists them.")
        case .templatesFull:
            ProblemEntry(
                status: 409, title: "There are too many templates",
                meaning: "One server holds 10,000 versions of templates.",
                remedy: "Delete templates that are not needed; jobs that use them go on.")
        case .groupClosed:
            ProblemEntry(
                status: 409, title: "The group is over",
                meaning: "A member can be added to a group until all its members are finished.",
                remedy: "Submit a new job; to keep a group open, give it a member that awaits a signal.")
        case .uniqueTaken:
            ProblemEntry(
                status: 409, title: "The unique key is taken",
                meaning: "A job that is not finished has the same unique key; job_id names it.",
                remedy: "Wait for that job or cancel it, or say on_conflict: join, replace or queue.")
        case .mailboxFull:
            ProblemEntry(
                status: 409, title: "The job has received too many messages",
                meaning:
                    "One job takes 10,000 signals, answers and members in its life, and 16 MiB of signals that "
                    + "no operation has taken and of members; the detail says which limit is reached.",
                remedy: "Send it when an operation has taken some, submit a new job, or send a URL.")
        default: nil
        }
    }

    private static func peopleEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .approvalNotFound:
            ProblemEntry(
                status: 404, title: "There is no such approval",
                meaning: "No approval has this id: it never existed, or was erased with its job.",
                remedy: "List the open ones: GET /v1/approvals?state=open.")
        case .approvalDecided:
            ProblemEntry(
                status: 409, title: "The approval was already decided",
                meaning: "An approval takes one decision; state says which one it was.",
                remedy: "Look at the approval. To stop the job nevertheless, cancel it.")
        case .approvalClosed:
            ProblemEntry(
                status: 410, title: "The approval is closed",
                meaning: "It expired, or was withdrawn because the job does not need it any more.",
                remedy: "Retry the job if it is still wanted: it asks again.")
        case .approvalStale:
            ProblemEntry(
                status: 409, title: "The approval is for another request",
                meaning: "The digest is of another request than the one that would be made.",
                remedy: "Look at the approval again, then send the digest that it shows, or none.")
        case .grantNotFound:
            ProblemEntry(
                status: 404, title: "There is no such grant",
                meaning: "No decision about a grant of this name was made, and no job waits for it.",
                remedy: "Set it with PUT, or look at the list: GET /v1/grants.")
        case .grantsFull:
            ProblemEntry(
                status: 409, title: "There are too many grants",
                meaning: "One server holds 10,000 grants.", remedy: "Delete grants that are no longer needed."
            )
        default: nil
        }
    }

    private static func serverEntry(_ kind: ProblemKind) -> ProblemEntry {
        switch kind {
        case .unsupportedFeature:
            ProblemEntry(
                status: 501,
                title: "The request uses something this server does not support",
                meaning:
                    "The method or the transfer coding is unknown to this server, or its store does not offer this.",
                remedy: "Send the body with Content-Length or chunked; detail says more.")
        case .unsupportedVersion:
            ProblemEntry(
                status: 505, title: "Only HTTP/1.1 and HTTP/1.0 are spoken here",
                meaning: "The request line names another version of HTTP.", remedy: "Use HTTP/1.1.")
        case .overloaded:
            ProblemEntry(
                status: 503, title: "The server is overloaded",
                retryable: true,
                meaning: "More writes or long reads wait than can be done in time. Nothing was done.",
                remedy: "Try again after the Retry-After time, with longer pauses each time.")
        case .clientLimited:
            ProblemEntry(
                status: 429, title: "You have exceeded your share",
                retryable: true,
                meaning: "The server is busy, or has too many connections, mostly with what you have sent.",
                remedy: "Try again after the Retry-After time, with fewer requests and connections at once.")
        case .tenantLimited:
            ProblemEntry(
                status: 429, title: "You have reached a limit of your team",
                retryable: true,
                meaning:
                    "Jobs beyond the rate, the number or the bytes that the operator allows are refused.",
                remedy: "Try again after the Retry-After time; detail says which limit it is.")
        case .queueFull:
            ProblemEntry(
                status: 503, title: "Too many jobs are unfinished",
                retryable: true,
                meaning: "The limit of unfinished jobs is reached; nothing was created.",
                remedy: "Try again when jobs have finished.")
        case .storageFull:
            ProblemEntry(
                status: 503, title: "The disk is full", retryable: true,
                meaning:
                    "New jobs are not stored: the rest of the disk is kept for deletions. Nothing that was "
                    + "acknowledged is lost.",
                remedy: "Free space, or erase jobs with large results; the server recovers by itself.")
        case .storageUnavailable:
            ProblemEntry(
                status: 503, title: "The store cannot be used", retryable: true,
                meaning:
                    "The store is closing, locked, its file cannot be read or written, or its database does not answer. "
                    + "detail says whether a change may have been made nevertheless; job_id names the job then.",
                remedy: "Try again, with the same Idempotency-Key; if it stays, the server's log says why.")
        case .storageDamaged:
            ProblemEntry(
                status: 503, title: "Stored data is damaged", retryable: true,
                meaning: "The stored data is damaged. Reads continue; new jobs are refused.",
                remedy: "Stop the server, check its disk, run jobserver doctor, and restore the last backup.")
        case .shuttingDown:
            ProblemEntry(
                status: 503, title: "The server is stopping", retryable: true,
                meaning: "The server finishes running jobs and accepts no new ones.",
                remedy: "Try again in a moment.")
        default:
            ProblemEntry(
                status: 500, title: "An unexpected error occurred",
                meaning: "The server has a defect.",
                remedy: "Report it with the request_id; the log has more.")
        }
    }
}
