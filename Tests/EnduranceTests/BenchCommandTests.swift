// Every command of scripts/bench, for a few seconds each: that it runs, not what it measures.
import CoreTesting
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance, .programs)) struct BenchCommandTests {
    /// The arguments of a short run of each command.
    private static let runs = [
        "--quick --seconds 1",
        "versions --before \(release) --seconds 1 --runs 1",
        "broadcast --seconds 2 --runs 1",
        "confinement --seconds 2 --runs 1",
        "exchange --seconds 2 --runs 1",
        "imaging --runs 3",
        "peers idle --seconds 1 --runs 1",
        "camera --seconds 1 --runs 1",
        "exclude --seconds 1 --runs 1",
        "wayland --seconds 2 --runs 1",
        "rtmp --seconds 2 --runs 1",
        "glass --seconds 5",
        "studio --seconds 1 --runs 1 --samples 1 --hours 1",
        "tray --seconds 1 --runs 1",
        "levels --seconds 1 --runs 1",
        "trim --minutes 1 --runs 1",
        "viewers --counts 5 --encrypted 5 --seconds 1 --runs 1",
    ]

    private static let script = RunningKinecast.checkout.appending("scripts/bench").string
    /// The build of this checkout stands in for the other build.
    private static let release = AuthorCommands.buildDirectory.appending("release/kinecast").string
    /// Nanoseconds for a first release build.
    private static let buildTimeout: Int64 = 3_600_000_000_000
    /// Nanoseconds for a run and the packages that it installs.
    private static let runTimeout: Int64 = 1_200_000_000_000

    /// The release build, once for all tests.
    private static let built = Result { try bench(["--help"], timeout: buildTimeout) }

    @Test(arguments: runs) func `a short run of a command succeeds`(command: String) throws {
        let help = try Self.built.get()
        try #require(help.status == 0, "\(Self.end(of: help))")
        let ended = try Self.bench(command.split(separator: " ").map(String.init), timeout: Self.runTimeout)
        let isReported = ended.output.contains("Command: `scripts/bench \(command)`")
        #expect(ended.status == 0 && isReported, "scripts/bench \(command) said: \(Self.end(of: ended))")
    }

    /// One line, which scripts/endurance shows.
    private static func end(of ended: RunningKinecast.Ended) -> String {
        (ended.output + ended.errors).split(separator: "\n").suffix(8).joined(separator: " | ")
    }

    @Test func `each command that the script's header names is run here`() {
        let named = ProcFiles.read(Self.script).matches(
            of: /^# +scripts\/bench ([a-z]\S*)/.anchorsMatchLineEndings()
        ).map { String($0.1) }
        #expect(!named.isEmpty)
        let first = Self.runs.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(Set(named).subtracting(first) == [])
    }

    private static func bench(_ arguments: [String], timeout: Int64) throws -> RunningKinecast.Ended {
        try RunningKinecast(
            arguments: arguments, environment: ProcessEnvironment.current, directory: RunningKinecast.checkout,
            executable: script
        ).wait(for: timeout)
    }
}
