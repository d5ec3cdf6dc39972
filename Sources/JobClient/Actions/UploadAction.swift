internal import Commands
internal import HTTPMessage

/// `jobserver upload`.
enum UploadAction {
    private static let typeFlag = Flag(
        name: "type", value: "TYPE", help: "the media type of the file; default application/octet-stream",
        hasVariable: false)

    static let upload = Command(
        "upload", "FILE", in: .jobs, "upload a file that jobs send on, and print its id",
        usage: ["upload FILE [FLAGS]"],
        text: """
            Sends a file of any size to the server, in constant memory, and prints the id of the upload. A job sends it
            on with "artifact": {"id": "art_…"} as the content of a request or as a part of a form. It is kept for 24
            hours, and then as long as a job uses it.
            """,
        flags: ServerAddress.flags + [typeFlag, Action.jsonFlag],
        examples: [
            "id=$(jobserver upload march.csv --type text/csv)",
            "jobserver run -- curl -F file=@march.csv https://api.example.com/imports",
        ], completes: .files)

    static func upload(_ action: Action) async throws(CommandFailure) -> Int32 {
        let path = try action.operand("Say which file: jobserver upload march.csv")
        let type = action.given.value("type")
        if let type, MediaType(type) == nil {
            throw action.usage("--type \(type): expected a media type such as text/csv")
        }
        let upload = try await action.service.upload(path, type: type)
        try action.say(action.isJSON ? upload.json.text : upload.id)
        return 0
    }
}
