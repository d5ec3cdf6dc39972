import Foundation
import JobHTTP

/// The examples of all five frameworks that make calls.
struct NetworkExamples {
    /// The address of an HTTP service (httpbin).
    let target: String
    /// A folder for files.
    let folder: String
    let queue = AOperationQueue(transport: .curl)

    func run() async throws {
        try await calls()
        try await images()
        try await services()
        try await tries()
    }

    private struct Show: Decodable {
        let slideshow: Slides
        struct Slides: Decodable { let title: String }
    }

    private func calls() async throws {
        // feature: OperationKit, a call and its evaluation
        let url = "\(target)/json"
        let operation = NetworkDataOperation(url: url) { data, response in
            return try JSONDecoder().decode(Show.self, from: data)
        }
        let show = try await queue.add(operation).value
        // end
        try check("the title", show.slideshow.title, "Sample Slide Show")

        // feature: OperationKit, a download
        let content = "\(target)/bytes/1000"
        let download = NetworkDownloadOperation(url: content, to: FilePlace("\(folder)/content"))
        let file = try await queue.add(download).value
        // end
        try check("the length of the file", file.byteCount, 1_000)

        // feature: AOperation, a call
        NetworkDataOperation(url: url) { data, _ in data }
            .onFinish { _, ending in
            }
            .add(to: queue)
        // end

        // feature: AOperation, a download
        NetworkDownloadOperation(url: content, to: FilePlace("\(folder)/other"))
            .onFinish { _, ending in
            }
            .add(to: queue)
        // end

        // feature: AOperation, an upload
        let upload = HTTPCall(method: "POST", url: "\(target)/post", body: [1, 2])
        NetworkDataOperation(upload) { data, _ in data }
            .onFinish { _, ending in }
            .add(to: queue)
        // end
        await queue.waitUntilDrained()

        // feature: AOperation, a call with a field
        var call = HTTPCall(method: "GET", url: "\(target)/headers")
        call.fields = [("Authorization", "An authorization code")]
        let authorized = NetworkDataOperation(call) { data, _ in data }
        // end
        try check("the echo", try await queue.add(authorized).value.count > 30, true)

        // feature: AOperation, a wrapper around a call
        let wrapper = WrapperOperation<Void, Data> { [target] _, _ in
            var call = HTTPCall(method: "GET", url: "\(target)/headers")
            call.fields = [("Authorization", "An authorization code")]
            return NetworkDataOperation(call) { data, _ in data }.recipe
        }
        // end
        try check(
            "the wrapped echo", try await queue.add(wrapper.receiving(value: ())).value.count > 30, true)
    }

    private func images() async throws {
        // feature: Yet More Operations, a description of a call with its parser
        struct ImageRequest: NetworkEvaluator {
            struct Image {
                let data: Data

                init?(_ data: Data) {
                    guard data.starts(with: [0x89, 0x50]) else { return nil }
                    self.data = data
                }
            }

            struct NoImage: Error {}

            let url: String

            func call(in context: OperationContext) -> HTTPCall { HTTPCall(url: url) }

            func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) throws -> Image {
                guard let image = Image(Data(try answer.get().body)) else { throw NoImage() }
                return image
            }
        }
        // end
        typealias Image = ImageRequest.Image
        typealias NoImage = ImageRequest.NoImage
        let imageURL = "\(target)/image/png"
        let image = try await queue.add(NetworkDataOperation(ImageRequest(url: imageURL))).value
        try check("the parsed image", image.data.isEmpty, false)

        // feature: AsyncOpKit, a call that makes an image
        let download = NetworkDataOperation(url: imageURL) { data, _ in
            guard let image = Image(data) else { throw NoImage() }
            return image
        }
        let downloaded = queue.add(download)
        if let image = try? await downloaded.value {
            print("\(image.data.count) bytes")
        }
        // end
        try check("the image", await downloaded.waitUntilFinished().state, .succeeded)

        // feature: AOperation, a value made of the data of a call
        let mapped = queue.add(
            NetworkDataOperation(url: imageURL) { data, _ in
                guard let image = Image(data) else { throw NoImage() }
                return image
            })
        // end
        try check("the mapped image", try await mapped.value.data.isEmpty, false)

        // feature: AOperation, a delay of a value
        let fetched = queue.add(NetworkDataOperation(url: imageURL) { data, _ in data })
        let later = queue.add(DelayOperation.passing(fetched, .after(.milliseconds(5))))
        // end
        try check("the late image", try await later.value.isEmpty, false)
    }

    private func services() async throws {
        let url = "\(target)/json"
        // feature: AOperation, a service that checks the status and decodes
        switch await queue.add(NetworkDataOperation(url: url, as: Show.self)).outcome {
        case .succeeded(let show): print(show.slideshow.title)
        case .failed(let errors): print(errors)
        default: break
        }
        // end
        let absent = queue.add(NetworkDataOperation(url: "\(target)/status/404", as: Show.self))
        try check("an absent show", await absent.waitUntilFinished().errors.map(\.code), ["http.status"])
    }

    private func tries() async throws {
        let url = "\(target)/json"
        // feature: AOperation, a call with a decoder
        NetworkDataOperation(url: url, as: Show.self)
            .onFinish { _, ending in
            }
            .add(to: queue)
        // end

        // feature: AOperation, a call with a timeout
        NetworkDataOperation(url: url, as: Show.self)
            .timeout(.seconds(5))
            .onFinish { _, ending in
            }
            .add(to: queue)
        // end

        // feature: AOperation, a call with another try
        NetworkDataOperation(url: url, as: Show.self)
            .retry(attempts: 2)
            .onFinish { _, ending in
            }
            .add(to: queue)
        // end
        await queue.waitUntilDrained()
    }
}
