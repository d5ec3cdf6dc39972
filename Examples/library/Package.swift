// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "library",
    dependencies: [.package(name: "jobserver", path: "../..")],
    targets: [
        .executableTarget(
            name: "toss", dependencies: [.product(name: "JobKit", package: "jobserver")], path: "Sources")
    ])
