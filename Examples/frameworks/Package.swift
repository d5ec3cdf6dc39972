// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "frameworks",
    dependencies: [.package(name: "jobserver", path: "../..")],
    targets: [
        .executableTarget(
            name: "frameworks", dependencies: [.product(name: "JobHTTP", package: "jobserver")],
            path: "Sources")
    ])
