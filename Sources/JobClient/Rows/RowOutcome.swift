internal import StrictJSON

/// The outcome of a row.
struct RowOutcome: Sendable {
    let line: Int
    /// The answer of the server for the row, or what stands for it.
    let json: JSONObject
    /// Whether the job is new although the server says that it was there: the request was sent twice.
    var isNew = false

    private func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: .object(json)) }

    /// A row that was not sent.
    init(line: Int, refused reason: String) {
        self.line = line
        json = JSONObject([
            ("status", .number(JSONNumber(Int64(422)))),
            ("problem", .object(JSONObject([("detail", .string(reason))]))),
        ])
    }

    /// An item of the answer to a batch.
    init(line: Int, item: JSONValue?) {
        self.line = line
        json = item?.object ?? JSONObject()
    }

    private var status: Int { json["status"]?.number?.int ?? 0 }

    /// Whether there is a job for the row.
    var isAccepted: Bool { (200...299).contains(status) || isGone }

    /// Whether the job of an earlier submission was removed after its end.
    var isGone: Bool { status == 410 }

    /// Whether an earlier submission of the same row made the job.
    var wasThere: Bool { !isNew && (json["replayed"]?.bool == true || isGone) }

    /// Whether the server may take the row later.
    var isTemporary: Bool { status == 429 || status == 503 }

    var job: JobFacts? { json["job"].map { JobFacts($0) } }

    /// The reason of a refusal, with the place in the row's spec.
    var reason: String {
        let problems = (at("/problem/errors")?.array ?? []).map { item in
            let pointer = ProblemPlace.text(of: item)
            return (pointer.isEmpty ? "" : pointer + ": ") + (item.object?["detail"]?.string ?? "")
        }
        guard problems.isEmpty else { return problems.joined(separator: "; ") }
        return at("/problem/detail")?.string ?? at("/problem/title")?.string
            ?? "The server did not say what became of it."
    }

    /// The outcome as a line of JSON.
    var text: String {
        let line = JSONObject.Member(name: "line", value: .number(JSONNumber(Int64(self.line))))
        let others = json.members.filter { !$0.name.hasSameBytes(as: "line") }
        return JSONValue.object(JSONObject(uniqueMembers: [line] + others)).text
    }
}
