// swift-tools-version: 6.1
import PackageDescription

// What only the programs need: an extension's author, who says `traits: []`, downloads none of it.
let programs = TargetDependencyCondition.when(traits: ["Programs"])
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// PipeWire's headers are in folders of their own, the same on every distribution. Its pkg-config file would add the library to what is
// linked, which is loaded when it is first needed.
let pipeWireHeaders = [CSetting.unsafeFlags(["-I/usr/include/pipewire-0.3", "-I/usr/include/spa-0.2"])]

// For what tests compute or compare byte by byte, which takes ten times as long without it. Not for what an app or an extension links:
// packages that name a version of this one could not use it.
let optimized = [SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))]

// The commit that `kinecast --version` prints. scripts/build.sh names it for release builds; debug builds are the same for every commit.
let commit = Context.environment["KINECAST_COMMIT"] ?? ""
// Where `kinecast extension new` finds the library's sources. A package is used on other machines, and is the same wherever it was built.
let checkout = Context.environment["KINECAST_PACKAGED"] == nil ? Context.packageDirectory : ""

/// The text as a literal of C.
func literal(_ text: String) -> String {
    "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
}

// For Fuzz/ and Benchmarks/ alone, which are packages of their own. What is named here may change at any time.
let internals = [
    "CLinux", "CPipeWire", "KineCapture", "KinePipeWire", "KinePulse", "KineX11", "KineClient", "KineCodecs",
    "KineContainers", "KineDesktop", "KineImaging",
    "KineLive",
    "KineMeasure", "KineMedia", "KinePlatform", "KineRTMP", "KineProgram", "KineRings", "KineServices", "KineTakes",
    "KineWire",
]

// The storeys, lowest first. A target imports what is in storeys below its own, and without a cycle what is in its own.
let storeys = [
    ("Base", "CLinux CSandbox CSharedAtomics KinePlatform"),
    ("Media", "CPixels CYUV CFFmpeg COpenH264 CX264 KineMedia KineImaging KineContainers KineCodecs KineX264"),
    ("Wire", "KineRings KineWire KineTakes KineServices KineClient"),
    ("Library", "Kinecast KinecastExtension KinecastExtensionTesting KinecastExchange KinecastImaging"),
    ("Desktop", "CSDBus KineDesktop"),
    (
        "Capture",
        "CXCB CXKB CCairo CPulse CPipeWire CAVDevice CWayland KinePulse KineCapture KineX11 KineWayland KinePipeWire KinePasteboard"
    ),
    ("Publish", "KineRTMP KineLive KinePublish"),
    ("Engine", "KineTake KineSupervision KineEditing KineHost kinecast-engine"),
    (
        "Program",
        "CBuild CStudioPage KineProgram KineConfiguration KineShortcuts KineTray KineStudio KinecastCommand kinecast-publish "
            + "kinecast-tray kinecast-studio"
    ),
]

let package = Package(
    name: "kinecast",
    products: [
        .executable(name: "kinecast", targets: ["KinecastCommand"]),
        .executable(name: "kinecast-engine", targets: ["kinecast-engine"]),
        .executable(name: "kinecast-publish", targets: ["kinecast-publish"]),
        .executable(name: "kinecast-tray", targets: ["kinecast-tray"]),
        .executable(name: "kinecast-studio", targets: ["kinecast-studio"]),
        .library(name: "Kinecast", targets: ["Kinecast"]),
        .library(name: "KinecastExtension", targets: ["KinecastExtension"]),
        .library(name: "KinecastExchange", targets: ["KinecastExchange"]),
        .library(name: "KinecastExtensionTesting", targets: ["KinecastExtensionTesting"]),
        .library(name: "KinecastImaging", targets: ["KinecastImaging"]),
        // Encoders for apps. The first links no codec, the second links x264, which is under the GPL.
        .library(name: "KinecastEncoding", targets: ["KineCodecs"]),
        .library(name: "KinecastX264", targets: ["KineX264"]),
        .library(name: "KinePublish", targets: ["KinePublish"]),
        .library(name: "KineInternals", targets: internals),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(
            name: "Programs",
            description:
                "The programs: the command line, the live page's server and the RTMP publisher, with what they need."),
    ],
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
        // System libraries, a module map and a shim header each, and what is written in C.
        .systemLibrary(name: "CX264"),
        .systemLibrary(name: "CYUV"),
        .systemLibrary(name: "CSharedAtomics"),
        .target(name: "CFFmpeg", dependencies: ["CLinux"]),
        .target(name: "CAVDevice", dependencies: ["CLinux"]),
        .target(name: "COpenH264", dependencies: ["CLinux"]),
        .target(name: "CPipeWire", dependencies: ["CLinux"], cSettings: pipeWireHeaders),
        .target(name: "CPulse", dependencies: ["CLinux"]),
        .target(name: "CSDBus", dependencies: ["CLinux"]),
        .target(name: "CWayland", dependencies: ["CLinux"], exclude: ["protocols"]),
        .systemLibrary(name: "CXCB"),
        .target(name: "CXKB", dependencies: ["CLinux"]),
        .target(name: "CCairo", dependencies: ["CLinux"]),
        .target(name: "CLinux"),
        .target(
            name: "CBuild",
            cSettings: [.define("KINE_COMMIT", to: literal(commit)), .define("KINE_CHECKOUT", to: literal(checkout))]),
        .target(name: "CPixels"),
        .target(name: "CSandbox"),

        // Values, and the thin layer over the operating system.
        // Rounding needs libm, which a program gets from Glibc or Foundation if it imports one of them.
        // Lifetimes: a frame lends its rows as spans, which cannot outlive it.
        .target(
            name: "KineMedia", dependencies: ["KinePlatform"], swiftSettings: [.enableExperimentalFeature("Lifetimes")],
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "KinePlatform", dependencies: ["CLinux", "CSandbox", system]),

        // The rooms that know one thing each.
        .target(name: "KineImaging", dependencies: ["KineMedia", "CYUV", "CPixels"]),
        // Links no codec: the libraries are loaded when an encoder or a decoder is made.
        .target(name: "KineCodecs", dependencies: ["KineMedia", "KinePlatform", "CFFmpeg", "COpenH264"]),
        .target(name: "KineContainers", dependencies: ["KineMedia", "KinePlatform", "CLinux", system]),
        // What engines and extensions share memory by.
        .target(
            name: "KineRings", dependencies: ["KineMedia", "KinePlatform", "CLinux", "CSharedAtomics", system]),

        .target(name: "KineDesktop", dependencies: ["KinePlatform", "CSDBus", system]),

        // What a source of frames is; the test pattern, cameras, private sessions, and what is drawn over frames.
        .target(
            name: "KineCapture",
            dependencies: [
                "KinePulse", "KineMedia", "KinePlatform", "CCairo", "CFFmpeg", "CAVDevice", "CYUV", "CLinux", system,
            ]),
        .target(name: "KinePulse", dependencies: ["KineMedia", "KinePlatform", "CPulse", system]),
        .target(
            name: "KineX11",
            dependencies: ["KineCapture", "KineMedia", "KinePlatform", "CXCB", "CXKB", "CCairo", "CLinux", system],
            linkerSettings: ["composite", "damage", "randr", "render", "shape", "shm", "xfixes", "xinput"]
                .map { .linkedLibrary("xcb-\($0)") }),
        .target(
            name: "KineWayland",
            dependencies: [
                "KineCapture", "KineImaging", "KineMedia", "KinePlatform", "CWayland", "CXKB", "CLinux", system,
            ]),
        .target(
            name: "KinePipeWire", dependencies: ["KineCapture", "KineMedia", "KinePlatform", "CPipeWire", system]),

        // The clipboard of both kinds of display.
        .target(name: "KinePasteboard", dependencies: ["KineWayland", "KinePlatform", "CXCB", "CWayland", system]),

        // H.264 through x264, linked: what links this comes under the GPL.
        .target(name: "KineX264", dependencies: ["KineCodecs", "KineMedia", "CX264"]),

        // Manifests of services, their bundles, and what their executables may reach.
        .target(
            name: "KineServices",
            dependencies: ["KineMedia", "KineWire", "KinePlatform", "CLinux", system]),

        // The messages of clients, engines and extensions.
        .target(name: "KineWire", dependencies: ["KineMedia", "KinePlatform", "KineRings", "CLinux", system]),

        // The registry in which clients and engines find each other, and who follows takes in it.
        .target(name: "KineTakes", dependencies: ["KineWire", "KineMedia", "KinePlatform", "CLinux", system]),

        // RTMP without a socket: apart from KinePublish, so that fuzzing and testing it builds no TLS.
        .target(name: "KineRTMP", dependencies: ["KineMedia"]),

        // Decides what a request to the live page gets, without a socket; apart from KinePublish for the same reason.
        .target(name: "KineLive"),

        // A take's video, audio, file, clips and feeds: no socket, bus or process.
        .target(
            name: "KineTake",
            dependencies: [
                "KineCapture", "KinePulse", "KineCodecs", "KineContainers", "KineImaging", "KineMedia", "KinePlatform",
                "KineRings", "KineX264", "CLinux", system,
            ]),

        // Finished recordings: cut, decoded to images and a waveform.
        .target(
            name: "KineEditing",
            dependencies: ["KineCodecs", "KineContainers", "KineImaging", "KineMedia", "KineX264"]),

        // The extension of a destination: one process, confined and watched.
        .target(
            name: "KineSupervision",
            dependencies: [
                "KineTake", "KineRings", "KineServices", "KineWire", "KineMedia", "KinePlatform", "CLinux", system,
            ]),

        // The engine's loop: its clients, a take's session, the desktop.
        .target(
            name: "KineHost",
            dependencies: [
                "KineTake", "KineSupervision", "KineEditing", "KineCapture", "KineX11", "KineWayland", "KinePipeWire",
                "KinePulse",
                "KineCodecs", "KineContainers", "KineRings",
                "KineServices",
                "KineTakes", "KineWire", "KineDesktop", "KinePasteboard", "KineMedia", "KinePlatform", "CLinux", system,
            ]),

        // What goes out to the network.
        .target(
            name: "KinePublish",
            dependencies: [
                "KineMedia", "KineContainers", "KineLive", "KinePlatform", "KineRTMP", "CLinux", system,
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: programs),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
            ],
            // Into the executable: an extension of one file needs no bundle, and no Foundation to find it.
            resources: [.embedInCode("Live/Page")]),

        // What controls engines: the command line, later an app.
        .target(
            name: "KineClient",
            dependencies: ["KineTakes", "KineWire", "KineRings", "KineContainers", "KineMedia", "KinePlatform", system]),

        // What an app links.
        .target(
            name: "Kinecast",
            dependencies: [
                "KineClient", "KineTakes", "KineWire", "KineServices", "KineRings", "KineContainers", "KineMedia",
                "KinePlatform",
                system,
            ]),

        // What an upload extension links.
        .target(
            name: "KinecastExtension",
            dependencies: ["KineMedia", "KineRings", "KineWire", "KinePlatform", "CLinux", system]),

        // For the frames of apps and extensions. It links libyuv, which most of them do not need.
        .target(name: "KinecastImaging", dependencies: ["KineImaging", "KineRings", "KineMedia", "CYUV"]),

        // What app and extension pass to each other, linked by both.
        .target(
            name: "KinecastExchange",
            dependencies: [
                "KineTakes", "KineWire", "KineServices", "KineRings", "KineMedia", "KinePlatform", "CLinux", system,
            ]),

        // Feeds a handler in a test, without an engine.
        .target(
            name: "KinecastExtensionTesting",
            dependencies: [
                "KinecastExtension", "KineMedia", "KineRings", "KineWire", "KineServices", "KinePlatform", system,
            ]),

        // What all programs share: how they fail, run and end, and the actions that a person starts at a desktop.
        .target(name: "KineProgram", dependencies: ["KinePlatform", system]),

        // kinecast.conf, for the command line and for what a desktop starts.
        .target(
            name: "KineConfiguration",
            dependencies: ["KineProgram", "KineTakes", "KineWire", "KineMedia", "KinePlatform", "CXKB", system]),

        // Keys of the whole desktop.
        .target(
            name: "KineShortcuts",
            dependencies: [
                "KineConfiguration", "KineProgram", "KineDesktop", "KinePlatform", "CXCB", "CXKB", "CLinux", system,
            ]),

        // What a desktop starts without a terminal: the tray.
        .target(
            name: "KineTray",
            dependencies: [
                "KineShortcuts", "KineConfiguration", "KineProgram", "KineDesktop", "KineTakes", "KineWire",
                "KineMedia", "KinePlatform", "CLinux", system,
            ]),

        // The studio's page and its server.
        .target(name: "CStudioPage"),
        .target(
            name: "KineStudio",
            dependencies: [
                "CStudioPage", "Kinecast", "KineConfiguration", "KineProgram", "KineClient", "KineLive", "KinePublish",
                "KineContainers", "KineDesktop", "KineRings", "KineServices", "KineTakes", "KineWire", "KineMedia",
                "KinePlatform",
                "CLinux", system,
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
            ],
            exclude: ["Page"]),

        // Executables.
        // `kinecast`. A folder of that name would be that of `Kinecast` where file systems ignore case.
        .executableTarget(
            name: "KinecastCommand",
            dependencies: [
                "CBuild", "CLinux",
                "Kinecast", "KineConfiguration", "KineProgram", "KineClient", "KineDesktop", "KineTakes", "KineWire",
                "KineServices",
                "KineContainers", "KineMedia", "KinePlatform",
                system, argumentParser,
            ],
            resources: [.embedInCode("Extension/Template")]),
        .executableTarget(
            name: "kinecast-engine", dependencies: ["KineHost", "KineDesktop", "KineWire", "KinePlatform", "CLinux"]),
        .executableTarget(
            name: "kinecast-publish",
            dependencies: [
                "KinecastExtension", "KineLive", "KinePublish", "KineRTMP", "KineContainers", "KineWire", "KineMedia",
                "CLinux", system,
            ]),

        .executableTarget(name: "kinecast-tray", dependencies: ["KineTray"]),
        .executableTarget(name: "kinecast-studio", dependencies: ["KineStudio"]),

        // An extension that tells the end-to-end tests which of its callbacks were called.
        .executableTarget(
            name: "kinecast-witness", dependencies: ["KinecastExtension"], path: "Tests/Support/WitnessExtension"),

        // A setup program that does well, or everything wrong.
        .executableTarget(
            name: "kinecast-setup-fixture", dependencies: ["KinecastExtension"], path: "Tests/Support/SetupFixture"),

        // Support, for tests and for Benchmarks/, which is a package of its own: known frames, a client that draws them,
        // the reading of recordings, the cost of a process, a network that fails. The pixel loops are optimised in
        // debug builds too, or a test would draw slower than the screen it imitates.
        .target(
            name: "KineMeasure", dependencies: ["CPixels", "KineMedia", "KinePlatform", "CLinux", system],
            path: "Support/Measure",
            swiftSettings: optimized),
        .executableTarget(
            name: "kinecast-scene",
            dependencies: [
                "CXCB", "CPulse", "CLinux", "WaylandWindow", "KineMeasure", "KineMedia", "KinePlatform", system,
                argumentParser,
            ],
            path: "Support/Scene", linkerSettings: [.linkedLibrary("pulse"), .linkedLibrary("xcb-shm")]),
        // A window on Wayland, for scenes and for tests.
        .target(
            name: "WaylandWindow", path: "Support/WaylandWindow",
            linkerSettings: [.linkedLibrary("wayland-client")]),
        .executableTarget(
            name: "kinecast-account",
            dependencies: [
                "KineMeasure", "KinePlatform", system,
                argumentParser,
            ],
            path: "Support/Account"),
        // The other end of a network under test.
        .executableTarget(
            name: "kinecast-farend",
            dependencies: [
                "RTMPTesting", "KineMeasure", "KinePlatform", "CLinux", system,
                argumentParser,
            ],
            path: "Tests/Support/FarEnd"),

        // An extension that does everything wrong, for the end-to-end tests.
        .executableTarget(
            name: "kinecast-faults", dependencies: ["KinecastExtension", "KineWire"],
            path: "Tests/Support/FaultsExtension"),
        // An extension that tries to reach what is not its own, and what it tries.
        .target(name: "ConfinementTesting", path: "Tests/Support/ConfinementTesting"),
        .executableTarget(
            name: "kinecast-hostile", dependencies: ["KinecastExtension", "ConfinementTesting"],
            path: "Tests/Support/HostileExtension"),
        .target(
            name: "AudioTesting",
            dependencies: ["KineCapture", "CPulse", "CFFmpeg", "KineMeasure", "KinePlatform", "CoreTesting", system],
            path: "Tests/Support/AudioTesting",
            linkerSettings: ["avcodec", "avutil", "pulse"].map { .linkedLibrary($0) }),
        // Frames, and H.264 as others understand it.
        .target(
            name: "CodecTesting", dependencies: ["KineCodecs", "KineMedia", "CFFmpeg", "CoreTesting"],
            path: "Tests/Support/CodecTesting", swiftSettings: optimized),
        // A PipeWire of the test's own, and a compositor's side of a cast, which does what real ones do rarely.
        .executableTarget(
            name: "kinecast-cast-producer", path: "Tests/Support/CastProducer", cSettings: pipeWireHeaders,
            linkerSettings: [.linkedLibrary("pipewire-0.3")]),
        .target(
            name: "CastTesting",
            dependencies: [
                "KineMeasure", "KineMedia", "KinePlatform", "CoreTesting", "kinecast-cast-producer", system,
            ],
            path: "Tests/Support/CastTesting"),
        // A Wayland compositor whose outputs are captured by ext-image-copy-capture, which Debian 12's do not have.
        .executableTarget(
            name: "kinecast-capture-compositor", path: "Tests/Support/CaptureCompositor",
            linkerSettings: [.linkedLibrary("wayland-server")]),
        .target(
            name: "ScreenTesting",
            dependencies: [
                "CXCB", "WaylandWindow", "KineMeasure", "KineMedia", "KinePlatform", "kinecast-capture-compositor",
                system,
            ],
            path: "Tests/Support/ScreenTesting",
            linkerSettings: ["composite", "randr", "shape", "xtest"].map { .linkedLibrary("xcb-\($0)") }),
        // A take known byte for byte, and a process that reads one.
        .target(
            name: "RelayTesting", dependencies: ["KineRings", "KineMedia"], path: "Tests/Support/RelayTesting",
            swiftSettings: optimized),  // every byte is computed
        .executableTarget(
            name: "kinecast-relay-peer",
            dependencies: ["KineRings", "KineWire", "KinePlatform", "RelayTesting", system],
            path: "Tests/Support/RelayPeer"),
        // An extension that passes its samples on, an app that receives them, and any member of a group.
        .executableTarget(
            name: "kinecast-passer", dependencies: ["KinecastExtension", "KinecastExchange"],
            path: "Tests/Support/PassingExtension"),
        // An app that broadcasts itself, records itself, and shows its recording.
        .executableTarget(
            name: "kinecast-replay-app", dependencies: ["Kinecast"], path: "Tests/Support/ReplayApp"),
        .executableTarget(
            name: "kinecast-frame-app", dependencies: ["KinecastExchange", "KinePlatform", system],
            path: "Tests/Support/FrameApp"),
        .executableTarget(
            name: "kinecast-member", dependencies: ["KinecastExchange", "KinePlatform", system],
            path: "Tests/Support/GroupMember", swiftSettings: optimized),
        // The desktop as an extension and as an app have it.
        .executableTarget(
            name: "kinecast-messenger", dependencies: ["KinecastExtension", "KinecastExchange"],
            path: "Tests/Support/MessengerFixture"),
        // Casts a screen as an engine does.
        .executableTarget(
            name: "kinecast-cast", dependencies: ["KineHost", "KineDesktop", "KinePlatform", system],
            path: "Tests/Support/CastFixture"),
        .executableTarget(
            name: "kinecast-fixture", dependencies: ["KinecastExtension"], path: "Tests/Support/ExtensionFixture"),
        // Denies a thread new threads, as the kernel does to a process that has as many as it may.
        .target(name: "ThreadTesting", path: "Tests/Support/ThreadTesting"),
        // Tags and how they select tests, margins that only scripts/endurance judges, and seeds that are printed.
        .target(name: "CoreTesting", dependencies: ["KinePlatform"], path: "Tests/Support/CoreTesting"),
        // The real executables, driven as a user drives them. A target that depends on this one does not name the executables, so that the
        // build compiles both at the same time. A build of the tests makes all executables. scripts/affected counts them as dependencies.
        .target(
            name: "ProcessTesting",
            dependencies: [
                "CoreTesting", "KineMeasure", "RTMPTesting", "ScreenTesting", "KineTakes", "KineWire", "KineServices",
                "KineContainers", "KineMedia", "KinePlatform", "CLinux", system,
            ], path: "Tests/Support/ProcessTesting",
            swiftSettings: optimized),  // colours of pixels are compared
        .target(
            name: "KWinInput", path: "Tests/Support/KWinInput",
            linkerSettings: [.linkedLibrary("wayland-client")]),
        // A desktop for tests: a bus of its own, and the services of one as real objects on it; and whole desktops.
        .target(
            name: "DesktopTesting",
            dependencies: [
                "KineCapture", "KineDesktop", "CSDBus", "KWinInput", "KineMeasure", "KineMedia", "KinePlatform",
                "CoreTesting", "ScreenTesting", system,
            ],
            path: "Tests/Support/DesktopTesting"),
        .testTarget(
            name: "KinecastExchangeTests",
            dependencies: [
                "KinecastExchange", "KineWire", "KineRings", "KineMedia", "KineMeasure", "KinePlatform", "CLinux",
                "CoreTesting", "ProcessTesting", system,
            ]),
        .testTarget(name: "KineMediaTests", dependencies: ["KineMedia", "CoreTesting"]),
        .testTarget(
            name: "KinePlatformTests",
            dependencies: ["KinePlatform", "KineMeasure", "CLinux", "CoreTesting", "ThreadTesting", system]),
        .testTarget(
            name: "KineCaptureTests",
            dependencies: [
                "KineX11", "KineWayland", "KinePulse", "KinePipeWire", "CXCB", "CPipeWire", "KineCapture",
                "KineMeasure", "KineMedia", "KinePlatform", "AudioTesting",
                "ScreenTesting",
                "CastTesting", "CoreTesting", "ProcessTesting", system,
            ]),
        .testTarget(
            name: "KineDesktopTests",
            dependencies: [
                "KineX11", "KineDesktop", "DesktopTesting", "ScreenTesting", "KineMeasure", "KineMedia",
                "KinePlatform", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KinePasteboardTests",
            dependencies: [
                "KinePasteboard", "CXCB", "KineMeasure", "KineMedia", "KinePlatform", "ScreenTesting", "CoreTesting",
                system,
            ]),
        .testTarget(
            name: "KineImagingTests", dependencies: ["KineImaging", "KineMedia", "CPixels", "CoreTesting"],
            swiftSettings: optimized),
        .testTarget(
            name: "KinecastImagingTests",
            dependencies: [
                "KinecastImaging", "KinecastExtension", "KinecastExtensionTesting", "CoreTesting",
            ]),
        .testTarget(
            name: "KineCodecsTests",
            dependencies: [
                "KineCodecs", "KineMeasure", "KineMedia", "AudioTesting", "CodecTesting", "CoreTesting",
            ]),
        .testTarget(
            name: "KineX264Tests",
            dependencies: ["KineX264", "KineCodecs", "KineMedia", "CX264", "CodecTesting", "CoreTesting"]),
        .testTarget(
            name: "KineContainersTests",
            dependencies: [
                "KineContainers", "KineMeasure", "KineMedia", "KinePlatform", "CLinux", "CoreTesting", system,
            ],
            swiftSettings: optimized),  // every byte is read a second time
        .testTarget(
            name: "KineEditingTests",
            dependencies: [
                "KineEditing", "KineContainers", "KineCodecs", "KineMeasure", "KineMedia", "KinePlatform",
                "ProcessTesting", "CoreTesting",
            ],
            swiftSettings: optimized),  // every byte is compared
        .testTarget(
            name: "KineRingsTests",
            dependencies: [
                "KineRings", "KineWire", "KineMedia", "KinePlatform", "CLinux", "CSharedAtomics",
                "RelayTesting", "kinecast-relay-peer", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KineWireTests",
            dependencies: [
                "KineWire", "KineRings", "KineMeasure", "KineMedia", "KinePlatform", "CLinux", "RelayTesting",
                "CoreTesting", system,
            ],
            resources: [.embedInCode("Recorded")]),
        .testTarget(
            name: "KineServicesTests",
            dependencies: [
                "KineServices", "KineWire", "KineMeasure", "KineMedia", "KinePlatform", "CLinux", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KinecastExtensionTests",
            dependencies: [
                "KinecastExtension", "KinecastExtensionTesting", "KineRings", "KineWire", "KineMeasure", "KineMedia",
                "KinePlatform", "CLinux", "CoreTesting", "RelayTesting", "ThreadTesting", "kinecast-fixture", system,
            ]),
        // A server written from RTMP's specification alone, which forgives nothing. It shares no code with KineRTMP.
        .target(
            name: "RTMPTesting", path: "Tests/Support/RTMPTesting",
            swiftSettings: optimized),  // every byte is looked at
        .testTarget(
            name: "KineRTMPTests",
            dependencies: ["KineRTMP", "KineX264", "KineCodecs", "KineMedia", "CoreTesting", "RTMPTesting"]),
        .testTarget(
            name: "KinePublishTests",
            dependencies: [
                "KinePublish", "KineLive", "KineRTMP", "RTMPTesting", "KineContainers", "KineMeasure", "KineMedia",
                "KinePlatform", "CLinux", "CoreTesting", system,
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
            ]),
        .testTarget(
            name: "KineTakesTests",
            dependencies: [
                "KineTakes", "KineWire", "KineMeasure", "KineMedia", "KinePlatform", "CLinux", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KineClientTests",
            dependencies: [
                "KineClient", "KineTakes", "KineWire", "KineContainers", "KineMeasure", "KineMedia", "KinePlatform",
                "CoreTesting", system,
            ]),
        .testTarget(
            name: "KinecastTests",
            dependencies: [
                "Kinecast", "KineClient", "KineTakes", "KineWire", "KineServices", "KineRings", "KineMeasure",
                "KineMedia",
                "KinePlatform", "CoreTesting", "DesktopTesting", "ScreenTesting",
                "ProcessTesting", system,
            ]),
        .testTarget(
            name: "KinecastCommandTests",
            dependencies: [
                "CLinux",
                "KinecastCommand", "KineConfiguration", "KineProgram", "KineClient", "KineTakes", "KineWire",
                "KineServices",
                "KineMeasure",
                "KineMedia", "KinePlatform", "CoreTesting",
                argumentParser,
            ]),
        .testTarget(
            name: "KineShortcutsTests",
            dependencies: [
                "KineShortcuts", "KineConfiguration", "KineDesktop", "DesktopTesting", "ScreenTesting", "KineMeasure",
                "KineMedia", "KinePlatform", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KineTrayTests",
            dependencies: [
                "KineTray", "KineConfiguration", "KineDesktop", "KineTakes", "KineWire", "DesktopTesting",
                "ScreenTesting",
                "KineMeasure", "KineMedia", "KinePlatform", "CoreTesting", system,
            ]),
        .testTarget(
            name: "KineStudioTests",
            dependencies: [
                "KineStudio", "Kinecast", "KineConfiguration", "KineProgram", "KineClient", "KineLive", "KinePublish",
                "KineContainers", "KineServices", "KineWire", "KineMeasure", "KineMedia", "KinePlatform",
                "CoreTesting", "ProcessTesting", system,
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
            ]),
        .testTarget(
            name: "KineTakeTests",
            dependencies: [
                "KinePulse", "KineTake", "KineCapture", "KineCodecs", "KineContainers", "KineImaging", "KineMedia",
                "KinePlatform", "KineRings", "KineX11", "KineX264", "KineMeasure", "AudioTesting", "CoreTesting",
                "ThreadTesting", system,
            ]),
        .testTarget(
            name: "KineSupervisionTests",
            dependencies: [
                "KineMeasure", "KineSupervision", "KineServices", "KineWire", "KineMedia", "KinePlatform",
                "CoreTesting", "CLinux", system,
            ]),
        .testTarget(
            name: "KineHostTests",
            dependencies: [
                "KinePulse", "KinePipeWire", "KineSupervision", "KineHost", "KineTake", "KineCapture", "KineDesktop",
                "KineServices", "KineWire", "KineMedia", "KinePlatform", "KineMeasure", "CoreTesting", "ThreadTesting",
                "DesktopTesting", "ProcessTesting", system,
            ]),
        .testTarget(
            name: "KineMeasureTests",
            dependencies: [
                "KineMeasure", "KineMedia", "CLinux", "CoreTesting", "kinecast-scene",
                "kinecast-account", system,
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ProcessTesting", "CoreTesting", "CastTesting", "DesktopTesting", "ScreenTesting", "AudioTesting",
                "KineMeasure", "KineClient", "KineServices", "KineTakes", "KineWire", "KineCapture", "KineWayland",
                "KineX11",
                "KineDesktop", "KineContainers", "KineMedia", "KinePlatform", "CLinux", system,
            ]),
        // Promises about real time: scripts/endurance runs them by hand, scripts/test only builds them.
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "ProcessTesting", "CoreTesting", "DesktopTesting", "ScreenTesting", "AudioTesting", "RTMPTesting",
                "KineMeasure", "KineTake", "KineMedia", "KinePlatform", "CLinux", system,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for (storey, names) in storeys {
    let names = Set(names.split(separator: " ").map(String.init))
    for target in package.targets where names.contains(target.name) { target.path = "Sources/\(storey)/\(target.name)" }
}

// `swift build --product` takes one name. With what these executables need alone in the package, scripts/build.sh builds several at once,
// and nothing that only tests need.
if let names = Context.environment["KINECAST_PRODUCTS"] {
    let executables = package.products.compactMap { $0 as? Product.Executable }
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var next = names.split(separator: " ").map(String.init).flatMap { name in
        executables.first { $0.name == name }?.targets ?? [name]
    }
    while let name = next.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): next.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = executables.filter { needed.isSuperset(of: $0.targets) }
}
