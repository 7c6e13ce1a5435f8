// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "HostEncodeExtension",
    dependencies: [
        // Without traits nothing is downloaded that only Kinecast's programs need.
        .package(name: "kinecast", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "HostEncodeExtension",
            dependencies: ["KinecastExtension", "KinecastExchange"].map { .product(name: $0, package: "kinecast") })
    ],
    swiftLanguageModes: [.v6]
)
