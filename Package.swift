// swift-tools-version: 6.1
import PackageDescription

// The commit that `kinecast --version` prints. scripts/build.sh names it for release builds; debug builds are the same for every commit.
let commit = Context.environment["KINECAST_COMMIT"] ?? ""
// Where `kinecast extension new` finds the library's sources. A package is used on other machines, and is the same wherever it was built.
let checkout = Context.environment["KINECAST_PACKAGED"] == nil ? Context.packageDirectory : ""

/// The text as a literal of C.
func literal(_ text: String) -> String {
    "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
}

// For Fuzz/ and Benchmarks/ alone, which are packages of their own. What is named here may change at any time.
let internals =
    "CLinux CPipeWire KineCapture KineClient KineCodecs KineContainers KineDesktop KineImaging KineInput KineLive KineMeasure KineMedia KinePipeWire "
    + "KinePlatform KineProgram KinePulse KineRTMP KineRings KineServices KineTakes KineText KineWire KineX11"

// The targets. A folder's name stands first: in Sources the storeys, lowest first. A target imports what is in storeys below its own, and
// without a cycle what is in its own. Then one line for each target of that folder: its name, after "at" a folder of another name, and
// after the colon what it depends on. A line that is indented further belongs to the line above.
let table = """
    Sources/Base
      CLinux
      CSandbox
      CSharedAtomics
      # Text from outside, paths and addresses as text. Knows no operating system.
      KineText: SystemPackage
      KinePlatform: KineText CLinux CSandbox SystemPackage
    Sources/Media
      CPixels
      CYUV
      CFFmpeg: CLinux
      COpenH264: CLinux
      CX264
      CZlib
      KineMedia: KineText
      # What a person does while a take runs, as the text of a recording's input track.
      KineInput: KineMedia CZlib
      # Pixels.
      KineImaging: KineMedia CYUV CPixels
      KineContainers: KineMedia KinePlatform KineText CLinux SystemPackage
      # Links no codec: the libraries are loaded when an encoder or a decoder is made.
      KineCodecs: KineMedia KinePlatform CFFmpeg COpenH264
      # H.264 through x264, linked: what links this comes under the GPL.
      KineX264: KineCodecs KineMedia CX264
    Sources/Wire
      # What engines and extensions share memory by.
      KineRings: KineMedia KinePlatform CLinux CSharedAtomics SystemPackage
      # The messages of clients, engines and extensions.
      KineWire: KineMedia KinePlatform KineText KineRings CLinux SystemPackage
      # The registry in which clients and engines find each other, and who follows takes in it.
      KineTakes: KineWire KineMedia KinePlatform KineText SystemPackage
      # Manifests of services, their bundles, and what their executables may reach.
      KineServices: KineMedia KineWire KinePlatform KineText CLinux SystemPackage
      # What controls engines: the command line, an app.
      KineClient: KineTakes KineWire KineRings KineContainers KineMedia KinePlatform KineText SystemPackage
    Sources/Library
      # What an app links.
      Kinecast: KineClient KineTakes KineWire KineServices KineRings KineContainers KineMedia KinePlatform KineText
          SystemPackage
      # What an upload extension links.
      KinecastExtension: KineMedia KineRings KineWire KinePlatform CLinux SystemPackage
      # Feeds a handler in a test, without an engine.
      KinecastExtensionTesting: KinecastExtension KineMedia KineRings KineWire KineServices KinePlatform SystemPackage
      # What app and extension pass to each other, linked by both.
      KinecastExchange: KineTakes KineWire KineServices KineRings KineMedia KinePlatform KineText CLinux SystemPackage
      # For the frames of apps and extensions. It links libyuv, which most of them do not need.
      KinecastImaging: KineImaging KineRings KineMedia CYUV
    Sources/Desktop
      CSDBus: CLinux
      KineDesktop: KinePlatform KineText CSDBus SystemPackage
    Sources/Capture
      CXCB
      CXKB: CLinux
      CCairo: CLinux
      CPulse: CLinux
      CPipeWire: CLinux
      CAVDevice: CLinux
      CWayland: CLinux
      KinePulse: KineMedia KinePlatform KineText CPulse SystemPackage
      # What a source of frames is; the test pattern, cameras, private sessions, and what is drawn over frames.
      KineCapture: KinePulse KineImaging KineInput KineMedia KinePlatform KineText CCairo CFFmpeg CAVDevice CYUV CLinux
          SystemPackage
      KineX11: KineCapture KineInput KineMedia KinePlatform KineText CXCB CXKB CLinux SystemPackage
      KineWayland: KineCapture KineImaging KineMedia KinePlatform KineText CWayland CXKB CLinux SystemPackage
      KinePipeWire: KineCapture KineMedia KinePlatform KineText CPipeWire SystemPackage
      # The clipboard of both kinds of display.
      KinePasteboard: KineWayland KinePlatform CXCB CWayland SystemPackage
    Sources/Publish
      # What publishers have in common, by whatever protocol: no socket, no protocol.
      KinePublisher: KineMedia
      # RTMP without a socket: apart from KinePublish, so that fuzzing and testing it builds no TLS.
      KineRTMP: KinePublisher KineMedia
      # The live page without a socket: a stream's samples, its viewers, and what a request gets; apart from KinePublish for
      # the same reason.
      KineLive: KineMedia KineText
      # What goes out to the network.
      KinePublish: KineMedia KineContainers KineLive KinePlatform KineText KinePublisher KineRTMP CLinux SystemPackage
          NIOCore NIOPosix NIOHTTP1 NIOSSL HummingbirdCore HummingbirdTLS HTTPTypes NIOHTTPTypes Logging
    Sources/Engine
      # A take's video, audio, file, clips and feeds: no socket, bus or process.
      KineTake: KineCapture KinePulse KineCodecs KineContainers KineImaging KineInput KineMedia KinePlatform KineText
          KineRings SystemPackage
      # The extension of a destination: one process, confined and watched.
      KineSupervision: KineTake KineRings KineServices KineWire KineMedia KinePlatform KineText CLinux SystemPackage
      # Finished recordings: cut, decoded to images and a waveform.
      KineEditing: CPixels KineCodecs KineContainers KineImaging KineInput KineMedia KineX264
      # The engine's loop: its clients, a take's session, the desktop.
      KineHost: KineTake KineSupervision KineEditing KineCapture KineX11 KineWayland KinePipeWire KinePulse KineCodecs
          KineContainers KineRings KineServices KineTakes KineWire KineX264 KineDesktop KinePasteboard KineMedia
          KinePlatform KineText CLinux SystemPackage
      kinecast-engine: SystemPackage KineHost KineDesktop KineWire KinePlatform CLinux
    Sources/Program
      CBuild
      CStudioPage
      # What all programs share: how they fail, run and end, and the actions that a person starts at a desktop.
      KineProgram: KineTakes KineWire KineMedia KineDesktop KinePlatform KineText SystemPackage
      # What people name in words: sizes, times, sources and destinations.
      KineChoices: SystemPackage KineWire KineServices KinePlatform KineText KineMedia KineClient KineProgram
      # What an executable does that publishes to a server, over any publisher.
      KineBroadcast: KinecastExtension KinePublisher KineWire KineMedia KinePlatform SystemPackage
      # kinecast.conf, for the command line and for what a desktop starts.
      KineConfiguration: KineProgram KineMedia KinePlatform KineText CXKB SystemPackage
      # Keys of the whole desktop.
      KineShortcuts: KineTakes KineConfiguration KineProgram KineDesktop KinePlatform CXCB CXKB SystemPackage
      # What a desktop starts without a terminal: the tray.
      KineTray: KineShortcuts KineProgram KineDesktop KineTakes KineWire KineMedia KinePlatform KineText SystemPackage
      # The studio's page and its server.
      KineStudio: KineChoices CStudioPage Kinecast KineConfiguration KineProgram KineClient KineLive KinePublish
          KineContainers KineDesktop KineRings KineServices KineTakes KineWire KineMedia KinePlatform KineText CLinux
          SystemPackage NIOCore NIOPosix HummingbirdCore HTTPTypes
      # `kinecast`. A folder of that name would be that of `Kinecast` where file systems ignore case.
      KinecastCommand: KineChoices CBuild CLinux Kinecast KineConfiguration KineProgram KineClient KineTakes KineWire
          KineServices KineContainers KineMedia KinePlatform KineText SystemPackage ArgumentParser
      kinecast-publish: KineBroadcast KinecastExtension KineLive KinePublish KinePublisher KineRTMP KineWire KineMedia
          CLinux SystemPackage
      kinecast-tray: KineTray
      kinecast-studio: KineStudio
    Support
      # Known frames, the reading of recordings, the cost of a process, a network that fails.
      KineMeasure at Measure: CPixels KineMedia KinePlatform CLinux SystemPackage
      # A client that draws known frames.
      kinecast-scene at Scene: CXCB CPulse CLinux WaylandWindow KineMeasure KineMedia KinePlatform SystemPackage
          ArgumentParser
      # A window on Wayland, for scenes and for tests.
      WaylandWindow
      kinecast-account at Account: KineMeasure KinePlatform SystemPackage ArgumentParser
    Tests/Support
      # An extension that tells the end-to-end tests which of its callbacks were called.
      kinecast-witness at WitnessExtension: KinecastExtension
      # A setup program that does well, or everything wrong.
      kinecast-setup-fixture at SetupFixture: KinecastExtension
      # The other end of a network under test.
      kinecast-farend at FarEnd: RTMPTesting KineMeasure KinePlatform CLinux SystemPackage ArgumentParser
      # An extension that does everything wrong.
      kinecast-faults at FaultsExtension: KinecastExtension KineWire
      # What an extension tries to reach that is not its own.
      ConfinementTesting
      kinecast-hostile at HostileExtension: KinecastExtension ConfinementTesting
      AudioTesting: KineCapture CPulse CFFmpeg KineMeasure KinePlatform CoreTesting SystemPackage
      # Frames, and H.264 as others understand it.
      CodecTesting: KineCodecs KineMedia CFFmpeg CoreTesting
      # A PipeWire of the test's own, and a compositor's side of a cast, which does what real ones do rarely.
      kinecast-cast-producer at CastProducer
      CastTesting: KineMeasure KineMedia KinePlatform CoreTesting kinecast-cast-producer SystemPackage
      # A Wayland compositor with ext-image-copy-capture, which Debian 12's do not have.
      kinecast-capture-compositor at CaptureCompositor
      ScreenTesting: CXCB WaylandWindow KineMeasure KineMedia KinePlatform kinecast-capture-compositor SystemPackage
      # A take known byte for byte, and a process that reads one.
      RelayTesting: KineRings KineMedia
      kinecast-relay-peer at RelayPeer: KineRings KineWire KinePlatform RelayTesting SystemPackage
      # An extension that passes its samples on, an app that receives them, and any member of a group.
      kinecast-passer at PassingExtension: KinecastExtension KinecastExchange
      # An app that broadcasts itself, records itself, and shows its recording.
      kinecast-replay-app at ReplayApp: Kinecast
      kinecast-frame-app at FrameApp: KinecastExchange SystemPackage
      kinecast-member at GroupMember: KinecastExchange KinePlatform SystemPackage
      # The desktop as an extension and as an app have it.
      kinecast-messenger at MessengerFixture: KinecastExtension KinecastExchange
      # Casts a screen as an engine does.
      kinecast-cast at CastFixture: KineHost KineDesktop KinePlatform SystemPackage
      kinecast-fixture at ExtensionFixture: KinecastExtension
      # Denies a thread new threads, as the kernel does to a process that has as many as it may.
      ThreadTesting
      # Tags and how they select tests, margins that only scripts/endurance judges, and seeds that are printed.
      CoreTesting: KinePlatform
      # The real executables, driven as a user drives them. A target that depends on this one does not name the
      # executables, so that the build compiles both at the same time. A build of the tests makes all executables.
      # scripts/affected counts them as dependencies.
      ProcessTesting: CoreTesting KineMeasure RTMPTesting ScreenTesting KineTakes KineWire KineServices KineContainers
          KineInput KineMedia KinePlatform SystemPackage
      KWinInput
      # A desktop for tests: a bus of its own, and the services of one as real objects on it; and whole desktops.
      DesktopTesting: KineCapture KineDesktop CSDBus KWinInput KineMeasure KineMedia KinePlatform CoreTesting
          ScreenTesting SystemPackage
      # A server written from RTMP's specification alone, which forgives nothing. It shares no code with KineRTMP.
      RTMPTesting
    Tests
      KinecastExchangeTests: KinecastExchange KineWire KineRings KineMedia KineMeasure KinePlatform CoreTesting
          ProcessTesting SystemPackage
      KineMediaTests: KineMedia CoreTesting
      KineTextTests: KineText KinePlatform CoreTesting SystemPackage
      KinePlatformTests: KinePlatform KineMeasure CLinux CoreTesting ThreadTesting SystemPackage
      KineCaptureTests: KineX11 KineWayland KinePulse KinePipeWire CXCB CPipeWire KineCapture KineInput KineMeasure
          KineMedia KinePlatform KineText AudioTesting ScreenTesting CastTesting CoreTesting ProcessTesting SystemPackage
      KineDesktopTests: KineX11 KineDesktop DesktopTesting ScreenTesting KineMeasure KineMedia KinePlatform KineText
          CoreTesting SystemPackage
      KinePasteboardTests: KinePasteboard CXCB KineMeasure KineMedia KinePlatform ScreenTesting CoreTesting
          SystemPackage
      KineImagingTests: KineImaging KineMedia CPixels CoreTesting
      KinecastImagingTests: KinecastImaging KinecastExtension KinecastExtensionTesting CoreTesting
      KineCodecsTests: KineCodecs KineMeasure KineMedia AudioTesting CodecTesting CoreTesting
      KineX264Tests: KineX264 KineCodecs KineMedia CX264 CodecTesting CoreTesting
      KineInputTests: KineInput KineMedia CoreTesting
      KineContainersTests: KineContainers KineMeasure KineMedia KinePlatform CLinux CoreTesting SystemPackage
      KineEditingTests: KineEditing KineContainers KineCodecs KineX264 KineMeasure KineMedia KinePlatform
          ProcessTesting CodecTesting CoreTesting
      KineRingsTests: KineRings KineWire KineMedia KinePlatform CLinux CSharedAtomics RelayTesting kinecast-relay-peer
          CoreTesting SystemPackage
      KineWireTests: KineWire KineRings KineMeasure KineMedia KinePlatform KineText CLinux RelayTesting CoreTesting
          SystemPackage
      KineServicesTests: KineServices KineWire KineMeasure KineMedia KinePlatform KineText CoreTesting SystemPackage
      KinecastExtensionTests: KinecastExtension KinecastExtensionTesting KineRings KineWire KineMeasure KineMedia
          KinePlatform CLinux CoreTesting RelayTesting ThreadTesting kinecast-fixture SystemPackage
      KinePublisherTests: KinePublisher
      KineRTMPTests: KineRTMP KineX264 KineCodecs KineMedia CoreTesting RTMPTesting
      KineLiveTests: KineLive KineMedia KineText CoreTesting
      KinePublishTests: KinePublish KineLive KineRTMP RTMPTesting KineContainers KineCodecs KineX264 KineMeasure KineMedia
          KinePlatform KineText CLinux CodecTesting CoreTesting SystemPackage NIOCore NIOEmbedded NIOPosix NIOSSL
      KineBroadcastTests: KineBroadcast KinePublisher KinecastExtension KinecastExtensionTesting KineWire KineMedia
      KineTakesTests: KineTakes KineWire KineMeasure KineMedia KinePlatform CLinux SystemPackage
      KineClientTests: KineClient KineTakes KineWire KineContainers KineMeasure KineMedia KinePlatform KineText
          CoreTesting SystemPackage
      KinecastTests: Kinecast KineClient KineTakes KineWire KineServices KineRings KineMeasure KineMedia KinePlatform
          KineText CoreTesting DesktopTesting ScreenTesting ProcessTesting SystemPackage
      KineChoicesTests: SystemPackage KineWire KineServices KineProgram KinePlatform KineText KineMedia KineMeasure
          KineChoices
      KinecastCommandTests: KineChoices SystemPackage CLinux KinecastCommand KineConfiguration KineProgram KineClient
          KineTakes KineWire KineServices KineMeasure KineMedia KinePlatform KineText CoreTesting ArgumentParser
      KineShortcutsTests: KineProgram KineShortcuts KineConfiguration KineDesktop DesktopTesting ScreenTesting
          KineMeasure KineMedia KinePlatform CoreTesting SystemPackage
      KineTrayTests: KineProgram KineTray KineDesktop KineTakes KineWire DesktopTesting KineMeasure KineMedia
          KinePlatform KineText CoreTesting SystemPackage
      KineStudioTests: KineStudio Kinecast KineConfiguration KineProgram KineClient KineLive KinePublish
          KineContainers KineServices KineTakes KineWire KineMeasure KineMedia KinePlatform KineText CoreTesting
          ProcessTesting SystemPackage HTTPTypes
      KineTakeTests: KinePulse KineTake KineCapture KineCodecs KineContainers KineImaging KineInput KineMedia
          KinePlatform KineRings KineX11 KineX264 KineMeasure AudioTesting CoreTesting ThreadTesting SystemPackage
      KineSupervisionTests: KineMeasure KineSupervision KineTake KineServices KineWire KineRings KineMedia KinePlatform
          CoreTesting CLinux SystemPackage
      KineHostTests: KinePulse KinePipeWire KineSupervision KineHost KineTake KineCapture KineDesktop KineServices
          KineWire KineMedia KinePlatform KineText KineMeasure CoreTesting ThreadTesting DesktopTesting ProcessTesting
          SystemPackage
      KineMeasureTests: KineMeasure KineMedia CoreTesting kinecast-scene kinecast-account
      EndToEndTests: ProcessTesting CoreTesting CastTesting DesktopTesting ScreenTesting AudioTesting KineMeasure
          KineClient KineServices KineTakes KineWire KineCapture KineWayland KineX11 KineDesktop KineContainers
          KineInput KineMedia KinePlatform KineText CLinux SystemPackage
      # Promises about real time: scripts/endurance runs them by hand, scripts/test only builds them.
      EnduranceTests: ProcessTesting CoreTesting DesktopTesting ScreenTesting AudioTesting RTMPTesting KineMeasure
          KineTake KineMedia KinePlatform SystemPackage
    """

/// Products of other packages, and the package of each.
let products = [
    "ArgumentParser": "swift-argument-parser", "HTTPTypes": "swift-http-types", "HummingbirdCore": "hummingbird",
    "HummingbirdTLS": "hummingbird", "Logging": "swift-log", "NIOCore": "swift-nio", "NIOEmbedded": "swift-nio",
    "NIOHTTP1": "swift-nio", "NIOHTTPTypes": "swift-nio-extras", "NIOPosix": "swift-nio", "NIOSSL": "swift-nio-ssl",
]

func dependency(_ name: Substring) -> Target.Dependency {
    if name == "SystemPackage" { return .product(name: "SystemPackage", package: "swift-system") }
    guard let package = products[String(name)] else { return .target(name: String(name)) }
    // What only the programs need: an extension's author, who says `traits: []`, downloads none of it.
    return .product(name: String(name), package: package, condition: .when(traits: ["Programs"]))
}

func targets(of table: String) -> [Target] {
    var (folder, targets): (Substring, [Target]) = ("", [])
    for line in table.split(separator: "\n") where !line.contains("#") {
        let parts = line.split(separator: ":")
        let words = parts[0].split(separator: " ")
        switch line.prefix(while: { $0 == " " }).count {
        case 0: folder = words[0]
        case 2:
            let name = String(words[0])
            let path = "\(folder)/\(words.last ?? "")"
            let needed = parts.dropFirst().first.map { $0.split(separator: " ").map(dependency) } ?? []
            if systemLibraries.contains(name) {
                targets.append(.systemLibrary(name: name, path: path))
            } else if folder == "Tests" {
                targets.append(.testTarget(name: name, dependencies: needed, path: path))
            } else if name.hasPrefix("kinecast-") || name == "KinecastCommand" {
                targets.append(.executableTarget(name: name, dependencies: needed, path: path))
            } else {
                targets.append(.target(name: name, dependencies: needed, path: path))
            }
        default: targets.last?.dependencies += words.map(dependency)
        }
    }
    return targets
}

// Libraries that are a module map and a shim header alone.
let systemLibraries: Set = ["CX264", "CYUV", "CZlib", "CSharedAtomics", "CXCB"]

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
        .library(name: "KineInternals", targets: internals.split(separator: " ").map(String.init)),
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
    targets: targets(of: table),
    swiftLanguageModes: [.v6]
)

// What tests compute or compare byte by byte, which takes ten times as long without it. Not what an app or an extension links: packages that
// name a version of this one could not use it.
let optimized: Set = [
    "KineMeasure", "CodecTesting", "RelayTesting", "ProcessTesting", "RTMPTesting", "kinecast-member",
    "KineImagingTests", "KineContainersTests", "KineEditingTests",
]
let linked = [
    // Rounding needs libm, which a program gets from Glibc or Foundation if it imports one of them.
    "KineMedia": "m",
    "KineX11": "xcb-composite xcb-damage xcb-randr xcb-render xcb-shape xcb-shm xcb-xfixes xcb-xinput",
    "kinecast-scene": "pulse xcb-shm xcb-xtest", "WaylandWindow": "wayland-client",
    "AudioTesting": "avcodec avutil pulse",
    "kinecast-cast-producer": "pipewire-0.3", "kinecast-capture-compositor": "wayland-server",
    "KWinInput": "wayland-client", "ScreenTesting": "xcb-composite xcb-randr xcb-shape xcb-xtest",
]
for target in package.targets {
    if optimized.contains(target.name) { target.swiftSettings = [.unsafeFlags(["-O"], .when(configuration: .debug))] }
    target.linkerSettings = linked[target.name]?.split(separator: " ").map { .linkedLibrary(String($0)) }
    switch target.name {
    case "CBuild":
        target.cSettings = [
            .define("KINE_COMMIT", to: literal(commit)), .define("KINE_CHECKOUT", to: literal(checkout)),
        ]
    case "CPipeWire", "kinecast-cast-producer":
        // PipeWire's headers are in folders of their own, the same on every distribution. Its pkg-config file would add the library to what
        // is linked, which is loaded when it is first needed.
        target.cSettings = [.unsafeFlags(["-I/usr/include/pipewire-0.3", "-I/usr/include/spa-0.2"])]
    case "CWayland": target.exclude = ["protocols"]
    // A frame lends its rows as spans, which cannot outlive it.
    case "KineMedia": target.swiftSettings = [.enableExperimentalFeature("Lifetimes")]
    // Into the executable: an extension of one file needs no bundle, and no Foundation to find it.
    case "KinePublish": target.resources = [.embedInCode("Live/Page")]
    case "CStudioPage": target.exclude = ["Page"]
    case "KinecastCommand": target.resources = [.embedInCode("Extension/Template")]
    case "KineWireTests": target.resources = [.embedInCode("Recorded")]
    default: break
    }
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
