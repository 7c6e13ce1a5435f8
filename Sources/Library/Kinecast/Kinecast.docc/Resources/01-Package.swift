// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Sketch",
    dependencies: [
        .package(path: "../kinecast", traits: [])
    ],
    targets: [
        .executableTarget(name: "Sketch", dependencies: [.product(name: "Kinecast", package: "kinecast")])
    ]
)
