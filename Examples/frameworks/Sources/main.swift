try await AOperationExamples().run()
try await AsyncOpKitExamples().run()
try await OperationsExamples().run()
print("all examples ran, and said \(await Notes.shared.lines.count) things")
