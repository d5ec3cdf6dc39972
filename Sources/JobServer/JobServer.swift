/// The program.
@main
struct JobServer {
    static func main() {
        print("jobserver")
    }
}
