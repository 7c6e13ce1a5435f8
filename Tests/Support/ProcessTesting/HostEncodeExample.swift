// Examples/HostEncode in a test's place: built and installed by its README, its app beside its manifest.
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

    package static let directory = RunningKinecast.checkout.appending("Examples/HostEncode")
    /// The commands of its README.
    package static let commands = AuthorCommands.commands(ofReadmeIn: directory)
    private let place: TestPlace

    /// A home in which the example was installed for all tests, with its app in `app`. scripts/test has built it before.
    private static let home = AuthorCommands.buildDirectory.appending("HostEncode.home")

    private static let installed = Result {
        let app = home.appending("app")
        _ = try Tool.output("rm", ["-rf", home.string])
        _ = try Tool.output("mkdir", ["-p", app.string])
        let configuration = RunningKinecast.executables.lastComponent?.string ?? "debug"
        return try AuthorCommands.run(
            try #require(commands.first { $0 == "./install" }, "the README's command"), in: directory,
            [
                "HOME=\(home)", "PRODUCTS=\(app)", "APP_CONFIGURATION=\(configuration)",
                "APP_OPTIONS=\(configuration == "release" ? "-c release -Xswiftc -enable-testing" : "")",
            ], build: AuthorCommands.buildDirectory)
    }

    package init(in place: TestPlace) throws {
        let installed = try Self.installed.get()
        try #require(installed.status == 0, "\(installed)")
        self.place = place
        _ = try Tool.output("cp", ["-R", "\(Self.home)/app", "\(Self.home)/.local", place.directory.string])
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
