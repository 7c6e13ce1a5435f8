// swift-tools-version: 6.1
import PackageDescription

/// Without libFuzzer, and with all of Kinecast as it is built for its tests: `scripts/fuzz ci` needs no second build of it.
let isReplay = Context.environment["KINECAST_FUZZ"] == "replay"

let internals = Target.Dependency.product(name: "KineInternals", package: "kinecast")

/// A fuzz target for what Kinecast does with foreign bytes. Its main is `fuzz_NAME_main`: of an executable fuzz-NAME, or of
/// a part of fuzz-replay, which is linked once for all targets.
func fuzzer(_ name: String, targets: [String] = []) -> Target {
    let dependencies = (["FuzzDriver"] + targets).map { Target.Dependency.target(name: $0) } + [internals]
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
            name: "FuzzDriver", dependencies: [internals],
            swiftSettings: isReplay ? [.define("REPLAY")] : []),
        fuzzer("recover"),
        fuzzer("faststart"),
        fuzzer("excerpt"),
        fuzzer("input-track"),
        fuzzer("edits"),
        fuzzer("h264-headers"),
        fuzzer("annex-b"),
        fuzzer("picture"),
        fuzzer("x-properties"),
        .target(
            name: "CastBytes", dependencies: [internals],
            cSettings: [.unsafeFlags(["-I/usr/include/spa-0.2"])]),
        fuzzer("cast-buffers", targets: ["CastBytes"]),
        fuzzer("control"),
        fuzzer("engine-messages"),
        fuzzer("extension-control"),
        fuzzer("exchange"),
        fuzzer("extension-states"),
        fuzzer("foreign-text"),
        fuzzer("take-records"),
        fuzzer("configuration"),
        fuzzer("destinations"),
        fuzzer("process-texts"),
        fuzzer("route-messages"),
        fuzzer("manifest"),
        fuzzer("setup-messages"),
        fuzzer("amf"),
        fuzzer("rtmp-chunks"),
        fuzzer("rtmp-handshake"),
        fuzzer("rtmp-url"),
        fuzzer("request-gate"),
        fuzzer("studio-gate"),
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
