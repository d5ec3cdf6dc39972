// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "calls",
    dependencies: [.package(name: "jobserver", path: "../..")],
    targets: [
        .executableTarget(
            name: "calls", dependencies: [.product(name: "JobHTTP", package: "jobserver")], path: "Sources")
    ])
