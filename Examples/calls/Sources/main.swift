import JobHTTP

/// Part of an answer of httpbin.
struct Echo: Decodable, Sendable {
    let url: String
}

let arguments = CommandLine.arguments
let (base, place) = (arguments[1], FilePlace(arguments[2]))

let queue = AOperationQueue(transport: .curl)
let echo = try await queue.add(NetworkDataOperation(url: base + "/get", as: Echo.self)).value
print("echo: \(echo.url)")

let file = try await queue.add(NetworkDownloadOperation(url: base + "/bytes/100000", to: place)).value
print("file: \(file.byteCount) bytes")

let missing = await queue.add(NetworkDataOperation(url: base + "/status/404", as: Echo.self))
    .waitUntilFinished()
print("missing: \(missing.errors[0].code) \(missing.errors[0].upstream?.status ?? 0)")

let closed = AOperationQueue(transport: .curl(.init(egress: EgressPolicy())))
let blocked = await closed.add(NetworkDataOperation(url: base + "/get", as: Echo.self)).waitUntilFinished()
print("blocked: \(blocked.errors[0].code)")
