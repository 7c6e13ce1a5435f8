// swift-tools-version: 6.1
import PackageDescription

// Apart from Kinecast's own package, whose tests need none of it. scripts/bench builds it into the same build directory, where
// the benches find Kinecast's executables beside themselves.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

func kinecast(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "kinecast") }
}

let package = Package(
    name: "kinecast-benchmarks",
    dependencies: [
        .package(name: "kinecast", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "kinecast-bench",
            dependencies: ["CEpoll", "CSWScale"]
                + kinecast("KineInternals", "KinecastX264")
                + [argumentParser, system]
                + ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
                + [.product(name: "NIOSSL", package: "swift-nio-ssl")],
            path: "Bench"),
        .systemLibrary(name: "CEpoll", path: "Epoll"),
        .systemLibrary(name: "CSWScale", path: "SWScale"),
        // The ways in which others bring frames to another process.
        .systemLibrary(name: "CTurboJPEG", path: "TurboJPEG"),
        .executableTarget(
            name: "kinecast-baseline",
            dependencies: ["CTurboJPEG"] + kinecast("KineInternals")
                + [argumentParser, system],
            path: "Baselines"),
        // An extension that notes when its frames come.
        .target(
            name: "FrameMeter", dependencies: kinecast("KineInternals") + [system],
            path: "FrameMeter"),
        .executableTarget(
            name: "kinecast-meter",
            dependencies: ["FrameMeter"] + kinecast("KinecastExtension", "KineInternals") + [system],
            path: "Meter"),
        // The same where the extension passes its frames on, and an app that gets them. Apart, since linking what they exchange
        // would add to the memory of the other.
        .executableTarget(
            name: "kinecast-passmeter",
            dependencies: ["FrameMeter"] + kinecast("KinecastExchange", "KinecastExtension", "KineInternals") + [
                system
            ],
            path: "PassMeter"),
        .executableTarget(
            name: "kinecast-receivermeter",
            dependencies: ["FrameMeter"] + kinecast("KinecastExchange", "KineInternals") + [system],
            path: "ReceiverMeter"),
        .testTarget(
            name: "BenchTests",
            dependencies: ["kinecast-bench"] + kinecast("KineInternals") + [argumentParser, system],
            path: "Tests/BenchTests"),
    ],
    swiftLanguageModes: [.v6]
)
