// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "durable",
    dependencies: [.package(name: "jobserver", path: "../..")],
    targets: [
        .executableTarget(
            name: "billing", dependencies: [.product(name: "DurableJobs", package: "jobserver")],
            path: "Sources")
    ])
