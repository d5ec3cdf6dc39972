// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "custom-kind",
    dependencies: [.package(name: "jobserver", path: "../..")],
    targets: [
        .executableTarget(
            name: "checksum-server",
            dependencies: [.product(name: "JobServer", package: "jobserver")],
            path: "Sources")
    ])
