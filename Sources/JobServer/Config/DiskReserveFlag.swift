import Commands
import ContentFiles

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
