import Commands
import EventIO
import StrictJSON

/// Sends commands to a running server through the socket in its data directory.
enum ControlClient {
    /// The time limit for the first answer of a server.
    private static let secondsToAnswer = 5

    /// The server's answer to a command.
    /// - Throws: `.failure` when there is no server, it does not answer, or the command failed.
    static func ask(_ path: String, directory: String, seconds: Int) throws(CommandFailure) -> JSONValue {
        func request(_ path: String) -> [UInt8] {
            Array(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .utf8)
        }
        let answer: [UInt8]
        do throws(EventIOError) {
            let socket = LocalSocket(folder: directory, name: ControlDoor.socketName)
            // Probes first: without it, a hung server would be given the long timeout of a busy one.
            _ = try socket.ask(request(ControlDoor.presencePath), seconds: secondsToAnswer)
            answer = try socket.ask(request(path), seconds: seconds)
        } catch {
            throw failure(
                "\(error.description) A server uses \(directory); it may be starting, stopping, stuck, "
                    + "or another user's. Try again, or stop it first.")
        }
        guard let (status, body) = parts(of: answer), let json = try? JSONParser.parse(body) else {
            throw failure("The server in \(directory) did not send a complete answer.")
        }
        guard status == 200 else {
            throw failure(
                JSONPointer("/detail")?.resolve(in: json)?.string ?? "The server answered \(status).")
        }
        return json
    }

    /// The status and the body of an answer with `Content-Length`, read to the end of the connection.
    static func parts(of answer: [UInt8]) -> (status: Int, body: [UInt8])? {
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard
            let start = answer.indices.dropLast(3).first(where: { answer[$0..<($0 + 4)].elementsEqual(end) })
        else { return nil }
        return (status, Array(answer[(start + 4)...]))
    }

    private static func failure(_ text: String) -> CommandFailure {
        CommandFailure(code: .failure, text: text)
    }
}
