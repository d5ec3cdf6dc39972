import Commands
import DurableJobs

/// The flags of commands that look at the files of a server.
enum DirectoryFlags {
    static let data = Flag(
        name: "data", value: "DIR", help: "the data directory of the server; default ./data")
    static let secretKeyFile = Flag(
        name: "secret-key-file", value: "FILE",
        help: "the file with the key of the stored secrets; default DIR/\(SecretKeyFile.defaultName)")
}
