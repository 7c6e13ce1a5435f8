// Examples/HostEncode in a test's place: built as its own package, its extension installed, its app in a directory with its manifest.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

package struct HostEncodeExample {
    package static let service = "org.kinecast.example.hostencode"
    /// What the app encodes.
    package static let width = 540
    package static let height = 960

    private let place: TestPlace

    /// The build of the example, once for all tests. scripts/test has done it before.
    private static let built = Result {
        // Beside the tests, with the options that they were built with: DIRECTORY/debug, or DIRECTORY/TRIPLE/debug.
        var directory = RunningKinecast.executables.removingLastComponent()
        if directory.lastComponent?.string.contains("-linux-") == true { directory.removeLastComponent() }
        let isRelease = RunningKinecast.executables.lastComponent?.string == "release"
        let script = """
            source scripts/build.sh
            cp Package.resolved Examples/HostEncode/
            flock "$BUILD/examples.lock" swift build "${debug_options[@]}" \(isRelease ? "-c release -Xswiftc -enable-testing" : "") \
                --package-path Examples/HostEncode --scratch-path "$BUILD"
            """
        return try RunningKinecast(
            arguments: ["-c", script],
            environment: ProcessEnvironment.merging(ProcessEnvironment.current, ["BUILD=\(directory)"]),
            directory: RunningKinecast.checkout, executable: "/bin/bash"
        ).wait(for: 900_000_000_000)
    }

    package init(in place: TestPlace) throws {
        let built = try Self.built.get()
        try #require(built.status == 0, "\(built)")
        self.place = place
        let bundle = place.path(".local/share/kinecast/services/\(Self.service).kinext")
        _ = try Tool.output("mkdir", ["-p", bundle, place.path("app")])
        let example = RunningKinecast.checkout.appending("Examples/HostEncode")
        for (file, directory) in [
            (example.appending("HostEncode.kinext/manifest.json").string, bundle),
            (RunningKinecast.sibling("HostEncodeExtension"), bundle),
            (example.appending("kinecast-app.json").string, place.path("app")),
            (RunningKinecast.sibling("HostEncode"), place.path("app")),
        ] { _ = try Tool.output("cp", [file, directory]) }
    }

    /// Starts the app and waits until it looks for takes.
    package func startApp(
        publishingTo address: String, _ arguments: [String] = [], _ variables: [String] = []
    ) throws -> RunningKinecast {
        let app = try RunningKinecast(
            arguments: [address] + arguments,
            environment: ProcessEnvironment.merging(place.environment, variables), directory: place.directory,
            executable: place.path("app/HostEncode"))
        try app.line("ready")
        return app
    }

    /// The numbers of the app's last report: "received", "lost", "skipped", "encoded" and "dropped".
    package static func counts(of ended: RunningKinecast.Ended) throws -> [String: Int] {
        let line = try #require(ended.output.split(separator: "\n").last { $0.hasPrefix("frames: ") }, "\(ended)")
        let pairs = try line.dropFirst("frames: ".count).prefix { $0 != ";" }.split(separator: ", ").map { part in
            let words = part.split(separator: " ")
            return (String(words[0]), try #require(Int(words[1]), "\(line)"))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Ends the app, waits until the server has written everything, and returns the last counts.
    package static func finish(_ app: RunningKinecast, at server: MediaServer) throws -> [String: Int] {
        app.signal(SIGTERM)
        let ended = try app.wait()
        #expect(ended.status == 0, "\(ended)")
        try wait("the server to see the end") { server.log.contains("disconnect") }
        return try counts(of: ended)
    }
}
