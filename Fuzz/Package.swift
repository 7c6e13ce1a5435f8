// swift-tools-version: 6.1
import PackageDescription

/// Without libFuzzer, and with all of Kinecast as it is built for its tests: `scripts/fuzz ci` needs no second build of it.
let isReplay = Context.environment["KINECAST_FUZZ"] == "replay"

/// A fuzz target for what `products` of Kinecast do with foreign bytes. Its main is `fuzz_NAME_main`: of an executable fuzz-NAME, or of
/// a part of fuzz-replay, which is linked once for all targets.
func fuzzer(_ name: String, _ products: String..., targets: [String] = []) -> Target {
    let dependencies: [Target.Dependency] =
        (["FuzzDriver"] + targets).map { .target(name: $0) } + products.map { .product(name: $0, package: "kinecast") }
    return isReplay
        ? .target(name: "fuzz-\(name)", dependencies: dependencies)
        : .executableTarget(
            name: "fuzz-\(name)", dependencies: dependencies, swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

// Fuzzing stands apart: everything in it is compiled with the fuzzer's instrumentation. scripts/fuzz builds and runs it. What belongs
// to an executable, or to a target that needs much more than the reader of foreign bytes in it, is a target's own source here by a link.
let package = Package(
    name: "kinecast-fuzz",
    dependencies: [.package(name: "kinecast", path: "..", traits: isReplay ? [.defaults] : [])],
    targets: [
        .target(
            name: "FuzzDriver", dependencies: [.product(name: "KineContainers", package: "kinecast")],
            swiftSettings: isReplay ? [.define("REPLAY")] : []),
        fuzzer("recover", "KineContainers"),
        fuzzer("faststart", "KineContainers"),
        fuzzer("excerpt", "KineContainers", "KineMedia"),
        fuzzer("h264-headers", "KineCodecs", "KineMedia"),
        fuzzer("annex-b", "KineMedia"),
        fuzzer("picture", "KineImaging", "KineMedia"),
        fuzzer("x-properties", "KineCapture"),
        .target(
            name: "CastBytes", dependencies: [.product(name: "CPipeWire", package: "kinecast")],
            cSettings: [.unsafeFlags(["-I/usr/include/spa-0.2"])]),
        fuzzer("cast-buffers", "CPipeWire", "KineMedia", targets: ["CastBytes"]),
        fuzzer("control", "KineRelay", "KineControl"),
        fuzzer("engine-messages", "KineClient", "KineRelay", "KineControl", "KineMedia"),
        fuzzer("extension-control", "KineRelay", "KineMedia", "KinePlatform"),
        fuzzer("exchange", "KineRelay", "KineMedia"),
        fuzzer("extension-states", "KineRelay", "KineServices", "KineControl", "KinePlatform"),
        fuzzer("foreign-text", "KineRelay", "KineServices", "KinePlatform"),
        fuzzer("take-records", "KineControl"),
        fuzzer("destinations", "KineClient", "KineServices", "KineControl", "KineRTMP", "KinePlatform"),
        fuzzer("process-texts", "KinePlatform"),
        fuzzer("route-messages"),
        fuzzer("manifest", "KineServices", "KineRelay", "KinePlatform"),
        fuzzer("setup-messages", "KineServices", "KineRelay", "KinePlatform"),
        fuzzer("amf", "KineRTMP"),
        fuzzer("rtmp-chunks", "KineRTMP"),
        fuzzer("rtmp-handshake", "KineRTMP"),
        fuzzer("rtmp-url", "KineRTMP"),
        fuzzer("request-gate", "KineLive"),
    ],
    swiftLanguageModes: [.v6]
)

if isReplay {
    // It finds the mains of its targets by their names.
    package.targets.append(
        .executableTarget(
            name: "fuzz-replay", dependencies: package.targets.map { .target(name: $0.name) },
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]))
}
