let arguments = CommandLine.arguments.dropFirst()
if let target = arguments.first, let folder = arguments.dropFirst().first {
    try await NetworkExamples(target: target, folder: folder).run()
}
try await AOperationExamples().run()
try await AsyncOpKitExamples().run()
try await OperationsExamples().run()
print("all examples ran, and said \(await Notes.shared.lines.count) things")
