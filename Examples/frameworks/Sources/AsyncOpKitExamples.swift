import JobKit

/// The examples of the documents of AsyncOpKit.
struct AsyncOpKitExamples {
    let queue = AOperationQueue()

    func run() async throws {
        // feature: AsyncOpKit, an operation that receives the value of another
        let image = queue.add(ClosureOperation("image") { _ in [1, 2, 3] })
        let filtered = queue.add(
            image.map("filtered") { pixels in
                pixels.map { $0 * 2 }
            })
        // end

        // feature: AsyncOpKit, the value at the end
        if let pixels = try? await filtered.value {
            await Notes.shared.add("\(pixels)")
        }
        // end

        // feature: AsyncOpKit, the value or the error at the end
        do {
            await Notes.shared.add("\(try await filtered.value)")
        } catch {
            await Notes.shared.add("\(error)")
        }
        // end
        try check("the filtered image", try await filtered.value, [2, 4, 6])
    }
}
