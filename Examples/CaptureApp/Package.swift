// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "CaptureApp",
    dependencies: [
        // In a package of your own: .package(url: "…", from: "…", traits: []). Without traits nothing is downloaded that only
        // Kinecast's programs need.
        .package(name: "kinecast", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(name: "CaptureApp", dependencies: [.product(name: "Kinecast", package: "kinecast")])
    ],
    swiftLanguageModes: [.v6]
)
