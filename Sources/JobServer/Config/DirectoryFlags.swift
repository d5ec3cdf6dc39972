import Commands
import ContentFiles
import DurableJobs

/// The flags of commands that look at the files of a server.
enum DirectoryFlags {
    static let data = Flag(
        name: "data", value: "DIR", help: "the data directory of the server; default ./data")
    static let secretKeyFile = Flag(
        name: "secret-key-file", value: "FILE",
        help: "the file with the key of the stored secrets; default DIR/\(SecretKeyFile.defaultName)")
}

enum DiskReserveFlag {
    static let flag = Flag(
        name: "disk-reserve", value: "SIZE",
        help: "space that results and new jobs leave free for deletions and running jobs, such as 1GiB;\n"
            + "default 5 % of the disk, at most 256MiB")
    private static let bytesMax: Int64 = 1 << 50

    static func value(_ given: Arguments, command: String) throws(CommandFailure) -> DiskReserve {
        guard let text = given.value(flag.name) else { return DiskReserve() }
        guard let bytes = ByteSizeText.parse(text[...]), bytes <= bytesMax else {
            throw .usage(
                "\(given.said(flag.name, text)): expected a size such as 256MiB or 1GiB", command: command)
        }
        return DiskReserve(.bytes(Int(bytes)))
    }
}
