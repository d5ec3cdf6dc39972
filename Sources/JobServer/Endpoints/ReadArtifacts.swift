import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/artifacts` and `…/artifacts/{name}`: the artifacts of a job.
enum ReadArtifacts {
    /// Answers with a page of the artifacts, in the order of their creation.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let id = try context.jobID()
        let paging = try PageRequest(of: "\(JobPath.text(id))/artifacts", &query)
        let place = try paging.number()
        let job = try context.job(id)
        let uses = try uses(of: job, context)
        let start = min(Int(clamping: place), uses.count)
        try paging.answer(
            context, of: uses.indices[start...], itemBytes: 512,
            token: { paging.token(behind: Int64($0 + 1)) },
            write: { append(uses[$0], of: job, context.base, to: &$1) })
    }

    /// Answers with one artifact: the latest of those with this name.
    static func one(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        let name = context.lastPathPart
        let uses = try uses(of: job, context)
        guard let use = uses.last(where: { $0.name == name }) else {
            let names = Set(uses.map(\.name)).sorted()
            let known =
                names.isEmpty ? "It has none." : "It has: \(names.prefix(20).joined(separator: ", "))."
            throw Problem(.artifactNotFound, "Job \(job.id) has no artifact \"\(name)\". \(known)")
        }
        try ContentAnswer(use.artifact, contentType: use.contentType, coding: use.contentCoding, in: context)
            .send(context)
    }

    private static func uses(of job: JobRecord, _ context: RequestContext) throws(Problem) -> [ArtifactUse] {
        try stored(context.reader.artifacts(job.id))
    }

    private static func append(
        _ use: ArtifactUse, of job: JobRecord, _ base: String, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", use.name)
        json.member("operation", OperationAddress.text(of: use.path))
        json.member("bytes", use.artifact.bytes)
        json.member("digest", use.artifact.digest)
        if let type = use.contentType { json.member("content_type", type) }
        if let coding = use.contentCoding { json.member("content_coding", coding) }
        json.member("stored_at", use.storedAt)
        json.name("links")
        json.beginObject()
        json.member("content", "\(base)\(JobPath.text(job.id))/artifacts/\(use.name)")
        json.endObject()
        json.endObject()
    }
}
