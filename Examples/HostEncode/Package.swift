// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "HostEncode",
    dependencies: [
        // With its default traits: the RTMP publisher needs SwiftNIO.
        .package(name: "kinecast", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "HostEncode",
            dependencies: ["CPreviewWindow"]
                + ["KinecastExchange", "KinecastEncoding", "KinecastX264", "KinePublish"]
                .map { .product(name: $0, package: "kinecast") }),
        .target(name: "CPreviewWindow", linkerSettings: [.linkedLibrary("xcb")]),
    ],
    swiftLanguageModes: [.v6]
)
