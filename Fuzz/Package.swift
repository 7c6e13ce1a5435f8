// swift-tools-version: 6.1
import PackageDescription

/// An executable fuzz-NAME for what `products` of Kinecast do with foreign bytes. Its main is `fuzz_NAME_main`.
func fuzzer(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: "fuzz-\(name)",
        dependencies: ["FuzzDriver"] + products.map { .product(name: $0, package: "kinecast") },
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

// Fuzzing stands apart: everything in it is compiled with the fuzzer's instrumentation. scripts/fuzz builds and runs it.
let package = Package(
    name: "kinecast-fuzz",
    dependencies: [.package(name: "kinecast", path: "..")],
    targets: [
        .target(name: "FuzzDriver"),
        fuzzer("recover", "KineContainers"),
        fuzzer("control", "KineRelay"),
        fuzzer("extension-control", "KineRelay", "KineMedia"),
        fuzzer("manifest", "KineRelay"),
        fuzzer("amf", "KineRTMP"),
        fuzzer("rtmp-chunks", "KineRTMP"),
        fuzzer("rtmp-handshake", "KineRTMP"),
    ],
    swiftLanguageModes: [.v6]
)
