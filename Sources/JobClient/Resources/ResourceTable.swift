internal import Commands

/// The commands that are a request each. The members of settings are the server's business, so that a new one needs no
/// change here.
enum ResourceTable {
    static let all = jobs + stored

    /// The command with a name.
    static func command(_ name: String) -> ResourceCommand? { all.first { $0.command.name == name } }

    // MARK: jobs

    private static let jobs = [
        single(
            "hold", "keep jobs from starting until they are released",
            job("hold", "ID…", "hold jobs back, and suspend what runs").with(
                "reason", "TEXT", "the reason, kept with the job", .member)),
        single("release", "let held jobs continue", job("release", "ID…", "let held jobs continue")),
        single(
            "requeue", "submit jobs again as new ones",
            job("requeue", "ID…", "submit the specs of jobs again, as new jobs")),
        single(
            "erase", "erase ended jobs with everything about them",
            ResourceVerb(
                name: "", operands: "ID…", summary: "erase jobs that have ended, with results and history",
                method: "DELETE", path: "\(ServerPaths.jobs)/{}", output: .done("erased"))),
        single(
            "signal", "send a signal to a job that waits for it",
            text: "The value is JSON in a file, or --data; without either the signal has none.",
            examples: [#"jobserver signal $id approved --data '{"by": "ops"}'"#],
            ResourceVerb(
                name: "", operands: "ID NAME [FILE|-]", summary: "send a signal to a job that waits for it",
                method: "POST", path: "\(ServerPaths.jobs)/{}/signals/{}", content: .payload, output: .job
            ).with("data", "JSON", "the value", .json)),
        single(
            "spec", "print the spec of a job",
            ResourceVerb(
                name: "", operands: "ID", summary: "print the spec that a job was submitted with",
                method: "GET",
                path: "\(ServerPaths.jobs)/{}/spec", output: .json)),
        single(
            "operations", "list the operations of a job",
            ResourceVerb(
                name: "", operands: "ID", summary: "list the operations of a job", method: "GET",
                path: "\(ServerPaths.jobs)/{}/operations",
                output: .list(["state", "type", "operation", "error.code"], isPaged: true))),
        single(
            "attempts", "list the attempts of the calls of a job",
            ResourceVerb(
                name: "", operands: "ID",
                summary: "list the attempts of the calls of a job, the first one first",
                method: "GET", path: "\(ServerPaths.jobs)/{}/attempts",
                output: .list(
                    ["started_at", "operation", "number", "state", "status", "error.code"], isPaged: true)
            ).with("operation", "PATH", "attempts of this operation only, such as login/token")),
        single(
            "approvals", "list approvals, and what they are for",
            ResourceVerb(
                name: "", operands: "", summary: "list approvals, and what they are for", method: "GET",
                path: approvalsPath,
                output: .list(["id", "state", "job_id", "operation", "created_at", "prompt"], isPaged: true)
            ).with("state", "STATE", "only those in these states, or all; default open", standard: "open")),
        single("approve", "approve what waits for it", answer("approve", "approve, so that the job goes on")),
        single(
            "reject", "reject what waits for an approval", answer("reject", "reject, so that the job fails")),
    ]

    private static let approvalsPath = "/v1/approvals"

    private static func job(_ action: String, _ operands: String, _ summary: String) -> ResourceVerb {
        ResourceVerb(
            name: "", operands: operands, summary: summary, method: "POST",
            path: "\(ServerPaths.jobs)/{}:\(action)", output: .job)
    }

    private static func answer(_ action: String, _ summary: String) -> ResourceVerb {
        ResourceVerb(
            name: "", operands: "APPROVAL", summary: summary, method: "POST",
            path: "\(approvalsPath)/{}:\(action)"
        ).with("comment", "TEXT", "a comment, kept with the approval", .member)
    }

    private static func single(
        _ name: String, _ summary: String, text: String = "", examples: [String] = [], _ verb: ResourceVerb
    ) -> ResourceCommand {
        ResourceCommand(name, in: .jobs, summary, text: text, examples: examples, [verb])
    }

    // MARK: stored settings

    private static let assignmentText = """
        set with MEMBER=VALUE changes these members and leaves the others; a value is JSON, or else a text, and MEMBER=
        removes the member. With a file (JSON, or YAML by its name) it stores exactly what is in there.
        """

    private static let stored = [
        ResourceCommand(
            "queue", in: .stored, "show and change queues", text: assignmentText,
            examples: ["jobserver queue set mail concurrency=4", "jobserver queue pause mail"],
            named("queue", ["name", "state", "waiting", "running", "detail"]) + [
                act("queue", "pause", "begin none of its jobs"),
                act("queue", "resume", "begin its jobs again"),
                ResourceVerb(
                    name: "keys", operands: "NAME", summary: "list the keys of its waiting jobs",
                    method: "GET",
                    path: item("queue") + "/keys",
                    output: .list(["key", "waiting", "running"], isPaged: true)),
            ]),
        ResourceCommand(
            "schedule", in: .stored, "show and change schedules", text: assignmentText,
            examples: ["jobserver schedule set nightly nightly.yaml", "jobserver schedule run nightly"],
            named("schedule", ["name", "state", "next_at", "runs", "failures"]) + [
                act("schedule", "pause", "make no jobs until it is resumed"),
                act("schedule", "resume", "make jobs again"),
                act("schedule", "run", "make a job now", output: .job),
                ResourceVerb(
                    name: "upcoming", operands: "NAME", summary: "list the next times", method: "GET",
                    path: item("schedule") + "/upcoming",
                    output: .list(["scheduled_for", "local", "runs_at"], isPaged: true)),
                ResourceVerb(
                    name: "occurrences", operands: "NAME",
                    summary: "list the times that have come, and their jobs",
                    method: "GET", path: item("schedule") + "/occurrences",
                    output: .list(
                        ["scheduled_for", "origin", "job_id", "job_state", "skipped"], isPaged: true)),
                act("schedule", "backfill", "make the jobs of past times")
                    .with("from", "TIME", "the first time", .member).with(
                        "to", "TIME", "the last time", .member
                    )
                    .with(
                        "only", "missing|failed|all", "the times without a job, or whose job failed, or all",
                        .member
                    )
                    .with("concurrency", "N", "so many of the jobs at a time; default 1", .number),
            ]),
        ResourceCommand(
            "template", in: .stored, "show, change and use templates", text: assignmentText,
            examples: [
                "jobserver template set resize resize.yaml", "jobserver template run resize width=640",
            ],
            named("template", ["name", "version", "updated_at", "updated_by"]) + [
                ResourceVerb(
                    name: "run", operands: "NAME [PARAMETER=VALUE…]",
                    summary: "submit a job with these parameters",
                    method: "POST", path: ServerPaths.jobs, content: .templateUse, output: .job)
            ]),
        ResourceCommand(
            "secret", in: .stored, "store and remove secrets",
            text:
                "set reads the value from a file or from standard input, so that it is in no list of processes and in no "
                + "history of a shell.\nA line end at the end of a text is no part of the value, unless --exact says so.",
            flags: [
                Flag(name: "exact", help: "keep the line end at the end of the value", hasVariable: false)
            ],
            examples: [
                "jobserver secret set crm < token.txt", "pass crm | jobserver secret set crm",
            ],
            [
                list("secret", ["name", "version", "spec.fingerprint", "updated_at", "updated_by"]),
                ResourceVerb(
                    name: "get", operands: "NAME", summary: "show all of it but the value", method: "GET",
                    path: item("secret")),
                ResourceVerb(
                    name: "set", operands: "NAME [FILE|-]", summary: "store a value", method: "PUT",
                    path: item("secret"), content: .secret), delete("secret"),
            ]),
        ResourceCommand(
            "connection", in: .stored, "show and change connections", text: assignmentText,
            named("connection", ["name", "version", "updated_at", "updated_by"]) + [
                act("connection", "test", "make a call with it, as a job", output: .job)
                    .with("call", "URL", "the address to call", as: "url", .member)
            ]),
        ResourceCommand(
            "hook", in: .stored, "show and change what requests from outside do (experimental)",
            text: assignmentText,
            flags: [
                Flag(
                    name: "refused", help: "replay what was refused, too: its sender is not verified again",
                    hasVariable: false)
            ],
            examples: [
                "jobserver hook set deploy deploy.yaml", "jobserver hook deliveries deploy --outcome refused",
                "jobserver hook replay deploy --outcome ignored",
            ],
            named("hook", ["name", "version", "address", "updated_at", "updated_by"]) + [
                ResourceVerb(
                    name: "deliveries", operands: "NAME", summary: "list deliveries with their outcomes",
                    method: "GET", path: item("hook") + "/deliveries",
                    output: .list(["received_at", "id", "outcome", "job_id", "reason"], isPaged: true)
                ).with("outcome", "OUTCOME", "only this outcome, such as refused"),
                ResourceVerb(
                    name: "delivery", operands: "NAME DELIVERY", summary: "show a delivery with its content",
                    method: "GET", path: item("hook") + "/deliveries/{}"),
                ResourceVerb(
                    name: "replay", operands: "NAME DELIVERY|--outcome OUTCOME",
                    summary: "run a delivery again, or all with an outcome", method: "POST",
                    path: item("hook") + "/deliveries:replay", content: .replay
                ).with("outcome", "OUTCOME", "only this outcome, such as refused", .member),
            ]),
        ResourceCommand(
            "uploads", in: .stored, "list and delete the files that were uploaded for jobs",
            [
                ResourceVerb(
                    name: "list", operands: "", summary: "list all", method: "GET", path: uploadsPath,
                    output: .list(["id", "bytes", "content_type", "in_use", "expires_at"], isPaged: true)),
                ResourceVerb(
                    name: "get", operands: "ID", summary: "show one", method: "GET",
                    path: uploadsPath + "/{}"),
                ResourceVerb(
                    name: "delete", operands: "ID", summary: "delete one that no job uses",
                    method: "DELETE", path: uploadsPath + "/{}", output: .done("deleted")),
            ]),
        ResourceCommand(
            "host", in: .stored, "show and change the limits of the calls to a host", text: assignmentText,
            [
                list("host", ["name", "version", "updated_at", "updated_by"]), get("host"), set("host"),
                delete("host"),
            ]),
        ResourceCommand(
            "origin", in: .stored, "show the servers that jobs call, and reset one",
            [
                ResourceVerb(
                    name: "list", operands: "", summary: "list them, and what holds calls back",
                    method: "GET",
                    path: originsPath,
                    output: .list(["origin", "state", "in_flight", "waiting", "detail"], isPaged: true)),
                ResourceVerb(
                    name: "reset", operands: "ORIGIN", summary: "end cool-downs and open breakers",
                    method: "POST",
                    path: "\(originsPath)/{}:reset"),
            ]),
        ResourceCommand(
            "grant", in: .stored, "show and decide what jobs may do (experimental)",
            [
                list("grant", ["name", "state", "spec.expires_at", "updated_by"]), get("grant"),
                ResourceVerb(
                    name: "set", operands: "NAME MEMBER=VALUE…", summary: "decide", method: "PUT",
                    path: item("grant"), content: .assignments), delete("grant"),
            ]),
        bulk,
        ResourceCommand(
            "servers", in: .stored, "list the servers that share the store",
            [
                ResourceVerb(
                    name: "", operands: "", summary: "list the servers that share the store", method: "GET",
                    path: "/v1/servers",
                    output: .list(["id", "host", "version", "running_jobs", "answers"], isPaged: true))
            ]),
        ResourceCommand(
            "audit", in: .stored, "list who changed what",
            [
                ResourceVerb(
                    name: "", operands: "", summary: "list changes of settings and access", method: "GET",
                    path: "/v1/audit", output: .list(["at", "by", "action", "kind", "target"], isPaged: true))
            ]),
    ]

    private static let originsPath = "/v1/origins"
    private static let uploadsPath = "/v1/artifacts"

    private static let bulk = ResourceCommand(
        "bulk", in: .stored, "cancel, retry, hold, requeue or erase many jobs",
        text: "run takes the filters of jobserver list. --dry-run shows how many jobs match.",
        flags: ListAction.filters + [
            Flag(name: "dry-run", help: "change nothing, and show how many jobs match", hasVariable: false)
        ],
        examples: [
            "jobserver bulk run retry --state failed --queue mail --dry-run",
            "jobserver bulk run cancel --label batch=7 --reason 'wrong list'",
        ],
        [
            list("bulk", ["id", "state", "request.action", "settled", "count", "created_at"]),
            get("bulk", "ID"),
            ResourceVerb(
                name: "results", operands: "ID", summary: "list its result for each job", method: "GET",
                path: item("bulk") + "/results",
                output: .list(["job_id", "state", "code", "new_job_id", "detail"], isPaged: true)),
            ResourceVerb(
                name: "run", operands: "cancel|retry|hold|release|requeue|erase",
                summary: "begin an action on all jobs that match the filters", method: "POST",
                path: path("bulk"),
                content: .bulk
            ).with("reason", "TEXT", "the reason, kept with the jobs", .member)
                .with("per-second", "N", "at most this many jobs per second", as: "per_second", .number)
                .with(
                    "expected-count", "N", "do nothing if another number of jobs matches",
                    as: "expected_count",
                    .number),
            ResourceVerb(
                name: "stop", operands: "ID", summary: "leave the rest of the jobs alone", method: "POST",
                path: item("bulk") + ":cancel"),
        ])

    /// The path of a kind of settings.
    private static func path(_ noun: String) -> String {
        switch noun {
        case "bulk": "/v1/bulk-actions"
        case "host": "/v1/hosts"
        default: "/v1/\(noun)s"
        }
    }

    /// The path of one of a kind of settings.
    private static func item(_ noun: String) -> String {
        path(noun) + (noun == "host" ? "/{}/limits" : "/{}")
    }

    /// The verbs of settings with a name.
    private static func named(_ noun: String, _ columns: [String]) -> [ResourceVerb] {
        [list(noun, columns), get(noun), set(noun), delete(noun)]
    }

    private static func list(_ noun: String, _ columns: [String]) -> ResourceVerb {
        ResourceVerb(
            name: "list", operands: "", summary: "list all", method: "GET", path: path(noun),
            output: .list(columns, isPaged: true))
    }

    private static func get(_ noun: String, _ operands: String = "NAME") -> ResourceVerb {
        ResourceVerb(
            name: "get", operands: operands, summary: "show one", method: "GET", path: item(noun))
    }

    private static func set(_ noun: String) -> ResourceVerb {
        ResourceVerb(
            name: "set", operands: "NAME FILE|-|MEMBER=VALUE…", summary: "store or change one", method: "PUT",
            path: item(noun), content: .settings)
    }

    private static func delete(_ noun: String) -> ResourceVerb {
        ResourceVerb(
            name: "delete", operands: "NAME", summary: "delete one", method: "DELETE",
            path: item(noun), output: .done("deleted"))
    }

    private static func act(
        _ noun: String, _ action: String, _ summary: String, output: ResourceVerb.Output = .object
    ) -> ResourceVerb {
        ResourceVerb(
            name: action, operands: "NAME", summary: summary, method: "POST",
            path: item(noun) + ":\(action)", output: output)
    }
}
