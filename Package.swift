// swift-tools-version: 6.1
import PackageDescription

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// For Fuzz/ and Benchmarks/ alone, which are packages of their own. What is named here may change at any time.
let internalNames = ["CLinux", "CYUV", "KineCapture", "KineCodecs", "KineImaging", "KineMeasure", "KinePlatform"]
let internals: [Product] = internalNames.map { .library(name: $0, targets: [$0]) }

// The floors, lowest first; a target imports only floors below it. docs/structure.md says what lives where.
let package = Package(
    name: "kinecast",
    products: [
        .executable(name: "kinecast", targets: ["kinecast"]),
        .executable(name: "kinecast-engine", targets: ["kinecast-engine"]),
        .executable(name: "kinecast-live", targets: ["kinecast-live"]),
        .executable(name: "kinecast-rtmp", targets: ["kinecast-rtmp"]),
        .library(name: "KinecastExtension", targets: ["KinecastExtension"]),
        .library(name: "KinecastExtensionTesting", targets: ["KinecastExtensionTesting"]),
        .library(name: "KinePublish", targets: ["KinePublish"]),
        .library(name: "KineRTMP", targets: ["KineRTMP"]),
        .library(name: "KineLive", targets: ["KineLive"]),
        .library(name: "KineMedia", targets: ["KineMedia"]),
        .library(name: "KineContainers", targets: ["KineContainers"]),
        .library(name: "KineRelay", targets: ["KineRelay"]),
    ] + internals,
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"),
    ],
    targets: [
        // Floor 0: system libraries, a module map and a shim header each.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CX264"),
        .systemLibrary(name: "CYUV"),
        .systemLibrary(name: "CXCB"),
        .systemLibrary(name: "CPulse"),
        .systemLibrary(name: "CFFmpeg"),
        .systemLibrary(name: "CSharedAtomics"),
        .target(name: "CPixels"),
        .target(name: "CSandbox"),

        // Floor 1: values, and the thin layer over the operating system.
        .target(name: "KineMedia"),
        .target(name: "KinePlatform", dependencies: ["CLinux", "CSandbox", system]),

        // Floor 2: the rooms that know one thing each.
        .target(name: "KineCapture", dependencies: ["KineMedia", "KinePlatform", "CXCB", "CPulse", "CLinux", system]),
        .target(name: "KineImaging", dependencies: ["KineMedia", "CYUV", "CPixels"]),
        .target(name: "KineCodecs", dependencies: ["KineMedia", "CX264", "CFFmpeg"]),
        .target(name: "KineContainers", dependencies: ["KineMedia", "KinePlatform", "CLinux", system]),
        .target(
            name: "KineRelay", dependencies: ["KineMedia", "KinePlatform", "CLinux", "CSharedAtomics", system]),

        // RTMP without a socket: apart from KinePublish, so that fuzzing and testing it builds no TLS.
        .target(name: "KineRTMP", dependencies: ["KineMedia"]),

        // Decides what a request to the live page gets, without a socket; apart from KinePublish for the same reason.
        .target(name: "KineLive"),

        // Floor 3: the pipeline.
        .target(
            name: "KineEngine",
            dependencies: [
                "KineCapture", "KineImaging", "KineCodecs", "KineContainers", "KineRelay", "KinePlatform", "CLinux",
                system,
            ]),

        // Floor 3: what goes out to the network.
        .target(
            name: "KinePublish",
            dependencies: [
                "KineMedia", "KineContainers", "KineLive", "KinePlatform", "KineRTMP", "CLinux",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Logging", package: "swift-log"),
            ],
            // Into the executable: an extension of one file needs no bundle, and no Foundation to find it.
            resources: [.embedInCode("Live/Page")]),

        // Floor 4: what an upload extension links.
        .target(name: "KinecastExtension", dependencies: ["KineMedia", "KineRelay", "KinePlatform", "CLinux", system]),

        // Feeds a handler in a test, without an engine.
        .target(
            name: "KinecastExtensionTesting",
            dependencies: ["KinecastExtension", "KineMedia", "KineRelay", "KinePlatform", system]),

        // Floor 5: executables.
        .executableTarget(
            name: "kinecast",
            dependencies: [
                "KineRelay", "KineContainers", "KinePlatform", system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "kinecast-engine", dependencies: ["KineEngine"]),
        .executableTarget(
            name: "kinecast-live",
            dependencies: ["KinecastExtension", "KineLive", "KinePublish", "KineMedia", "CLinux"]),
        .executableTarget(
            name: "kinecast-rtmp",
            dependencies: [
                "KinecastExtension", "KinePublish", "KineRTMP", "KineContainers", "KineRelay", "KineMedia", "CLinux",
                system,
            ]),

        // An extension that tells the end-to-end tests which of its callbacks were called.
        .executableTarget(
            name: "kinecast-witness", dependencies: ["KinecastExtension"], path: "Tests/WitnessExtension"),

        // Support, for tests and for Benchmarks/, which is a package of its own: known pictures, a client that draws them,
        // the reading of recordings, the cost of a process, the far end of a network. The pixel loops are optimised in
        // debug builds too, or a test would draw slower than the screen it imitates.
        .target(
            name: "KineMeasure", dependencies: ["CPixels", "KineMedia", "KinePlatform", "CLinux", system],
            path: "Support/Measure",
            swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .executableTarget(
            name: "kinecast-scene",
            dependencies: [
                "CXCB", "CPulse", "CLinux", "KineMeasure", "KineMedia", "KinePlatform", system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Support/Scene"),
        .executableTarget(
            name: "kinecast-account",
            dependencies: [
                "KineMeasure", "KinePlatform", system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Support/Account"),
        // The other end of a network under test.
        .executableTarget(
            name: "kinecast-farend",
            dependencies: [
                "RTMPTesting", "KineMeasure", "KinePlatform", "CLinux", system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Support/FarEnd"),

        // An extension that does everything wrong, for the end-to-end tests.
        .executableTarget(
            name: "kinecast-faults", dependencies: ["KinecastExtension", "KineRelay"], path: "Tests/Faults"),
        // An extension that tries to reach what is not its own, and what it tries.
        .target(name: "HostileReaches", path: "Tests/HostileReaches"),
        .executableTarget(
            name: "kinecast-hostile", dependencies: ["KinecastExtension", "HostileReaches"], path: "Tests/Hostile"),
        .target(
            name: "SoundTesting", dependencies: ["CPulse", "CFFmpeg", "KinePlatform", "CLinux", system],
            path: "Tests/SoundTesting", linkerSettings: [.linkedLibrary("avcodec")]),
        .target(
            name: "ScreenTesting", dependencies: ["CXCB", "KineMedia", "KinePlatform", system],
            path: "Tests/ScreenTesting"),
        // A take known byte for byte, and a process that reads one.
        .target(
            name: "RelayTesting", dependencies: ["KineRelay", "KineMedia"], path: "Tests/RelayTesting",
            swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),  // every byte is computed
        .executableTarget(
            name: "RelayPeer", dependencies: ["KineRelay", "KinePlatform", "RelayTesting", system],
            path: "Tests/RelayPeer"),
        .executableTarget(
            name: "ExtensionFixture", dependencies: ["KinecastExtension"], path: "Tests/ExtensionFixture"),
        // Denies a thread new threads, as the kernel does to a process that has as many as it may.
        .target(name: "ThreadDenial", path: "Tests/ThreadDenial"),
        // Margins that only scripts/endurance judges, and seeds that are printed.
        .target(name: "TestSupport", dependencies: ["KinePlatform"], path: "Tests/TestSupport"),
        // The real executables, driven as a user drives them; for EndToEndTests and EnduranceTests.
        .target(
            name: "ProcessTesting",
            dependencies: [
                "KineMeasure", "RTMPTesting", "ScreenTesting", "KineRelay", "KineContainers", "KineMedia",
                "KinePlatform",
                "CLinux", system,
            ], path: "Tests/ProcessTesting"),
        .testTarget(name: "KineMediaTests", dependencies: ["KineMedia", "TestSupport"]),
        .testTarget(name: "KinePlatformTests", dependencies: ["KinePlatform", "CLinux", "ThreadDenial", system]),
        .testTarget(
            name: "KineCaptureTests",
            dependencies: ["KineCapture", "KineMedia", "KinePlatform", "SoundTesting", "ScreenTesting", "TestSupport"]),
        .testTarget(name: "KineImagingTests", dependencies: ["KineImaging", "KineMedia", "CPixels"]),
        .testTarget(
            name: "KineCodecsTests",
            dependencies: ["KineCodecs", "KineMedia", "CFFmpeg", "SoundTesting", "TestSupport"]),
        .testTarget(
            name: "KineContainersTests",
            dependencies: ["KineContainers", "KineMedia", "KinePlatform", "CLinux", system]),
        .testTarget(
            name: "KineRelayTests",
            dependencies: [
                "KineRelay", "KineMedia", "KinePlatform", "CLinux", "CSharedAtomics", "RelayTesting", "RelayPeer",
                "TestSupport", system,
            ]),
        .testTarget(
            name: "KinecastExtensionTests",
            dependencies: [
                "KinecastExtension", "KinecastExtensionTesting", "KineRelay", "KineMedia", "KinePlatform", "CLinux",
                "RelayTesting", "ExtensionFixture", system,
            ]),
        // A server written from RTMP's specification alone, which forgives nothing. It shares no code with KineRTMP.
        .target(
            name: "RTMPTesting", path: "Tests/RTMPTesting",
            swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),  // every byte is looked at
        .testTarget(name: "KineRTMPTests", dependencies: ["KineRTMP", "KineCodecs", "KineMedia", "RTMPTesting"]),
        .testTarget(
            name: "KinePublishTests",
            dependencies: [
                "KinePublish", "KineLive", "KineRTMP", "RTMPTesting", "KineMeasure", "KineMedia", "KinePlatform",
                "CLinux", "TestSupport", system,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "KinecastToolTests",
            dependencies: [
                "kinecast", "KineRelay", "KineMeasure", "KineMedia", "KinePlatform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "KineEngineTests",
            dependencies: ["KineEngine", "KineMeasure", "SoundTesting", "TestSupport", "ThreadDenial"]),
        .testTarget(
            name: "KineMeasureTests",
            dependencies: [
                "KineMeasure", "KineMedia", "KinePlatform", "CLinux", "TestSupport", "kinecast-scene",
                "kinecast-account", system,
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "kinecast", "kinecast-engine", "kinecast-live", "kinecast-rtmp", "kinecast-faults", "kinecast-witness",
                "kinecast-hostile",
                "kinecast-scene", "kinecast-farend",
                "ProcessTesting", "TestSupport", "KineMeasure", "ScreenTesting", "RTMPTesting", "KineRelay",
                "KineContainers", "KineMedia", "KinePlatform", "CLinux",
                system,
            ]),
        // Promises about real time: scripts/endurance runs them by hand, scripts/test only builds them.
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "kinecast", "kinecast-engine", "kinecast-live", "kinecast-rtmp", "kinecast-scene", "kinecast-farend",
                "ProcessTesting", "TestSupport", "KineEngine", "KineMeasure", "ScreenTesting", "SoundTesting",
                "RTMPTesting", "KineRelay", "KineMedia", "KinePlatform", "CLinux", system,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
