// scripts/affected: which parts of scripts/test depend on a file, by the packages' own descriptions.
import KineMeasure
import SystemPackage
import Testing

@Suite(.tags(.real)) struct AffectedPartsTests {
    private static let further: Set = ["examples", "builds", "benchmarks", "fuzz", "documentation"]

    /// A path, the further parts that depend on it, and some targets of tests that do and some that do not.
    private static let expected: [(path: String, parts: Set<String>, tests: [String], others: [String])] = [
        ("Sources/Media/KineMedia/MediaTime.swift", further, ["KineMediaTests", "KinecastTests", "EndToEndTests"], []),
        // The programs have it, and the tests that build run them.
        (
            "Sources/Program/KinecastCommand/RootCommand.swift", ["builds"],
            ["KinecastCommandTests", "KineEditingTests"], ["KineMediaTests", "KineTrayTests"]
        ),
        (
            "Sources/Program/CStudioPage/Page/library/library.js", ["builds"], ["KineStudioTests", "EndToEndTests"],
            ["KineTrayTests"]
        ),
        // A fuzz target has a link to it.
        (
            "Sources/Program/KineStudio/Access/StudioGate.swift", ["builds", "fuzz"], ["KineStudioTests"],
            ["KineTrayTests"]
        ),
        // The documentation's code imports it.
        (
            "Sources/Library/KinecastExtension/BroadcastContext.swift",
            ["examples", "builds", "benchmarks", "documentation"], ["KinecastExtensionTests"], ["KineX264Tests"]
        ),
        // A file that is gone belonged to the same target.
        (
            "Sources/Publish/KineLive/Gone.swift", ["builds", "benchmarks", "fuzz", "examples"],
            ["KineLiveTests", "KinePublishTests"], ["KineMediaTests"]
        ),
        ("Tests/KineTrayTests/TrayStateTests.swift", [], ["KineTrayTests"], ["EndToEndTests"]),
        ("Tests/EndToEndTests/Takes/TakeTests.swift", ["builds"], ["EndToEndTests"], ["KinecastTests"]),
        ("Benchmarks/Bench/Tables.swift", ["benchmarks"], [], ["EndToEndTests"]),
        ("Fuzz/Corpus/amf/anything", ["fuzz"], [], ["KineRTMPTests"]),
        ("Fuzz/amf.dict", ["fuzz"], [], []),
        ("Examples/HostEncode/install", ["examples", "builds"], [], []),
        ("docs/live.md", ["benchmarks", "documentation"], [], ["EndToEndTests"]),
        ("docs/benchmarks.md", ["benchmarks", "documentation"], [], ["EndToEndTests"]),
        ("docs/many-viewers/nginx.conf", ["documentation"], ["EndToEndTests"], []),
        ("packaging/icons/README", [], ["KineTrayTests"], ["EndToEndTests"]),
        ("SECURITY.md", [], [], ["EndToEndTests"]),
        ("Tests/StudioPageTests/seek.test.js", [], [], ["KineStudioTests", "EndToEndTests"]),
        ("Package.swift", further, ["KineMediaTests", "EndToEndTests"], []),
        ("scripts/test", further, ["KineMediaTests"], []),
        ("Support/Measure/Drawing/Canvas.swift", further, ["KineMediaTests"], []),
        ("Tests/XCTMain.swift", further, ["KineMediaTests"], []),
        ("Tests/Support/AuthorTools/swift", further, ["KineMediaTests"], []),
        ("something/new", further, ["KineMediaTests", "EndToEndTests"], []),
    ]

    @Test func `a path makes those parts due that depend on it, and one that is not known all of them`() throws {
        let build = AuthorCommands.buildDirectory.appending("describe").string
        let paths = Self.expected.map(\.path).joined(separator: "\n")
        let output = try Tool.output(
            "bash",
            [
                "-c", #"tr '\n' '\0' <<<"$0" | "$1/scripts/affected" "$2""#, paths,
                RunningKinecast.checkout.string, build,
            ])
        var found: [String: Set<String>] = [:]
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words.count == 2 { found[words[1], default: []].insert(words[0]) }
        }
        for (path, parts, tests, others) in Self.expected {
            let due = found[path] ?? []
            #expect(due.intersection(Self.further) == parts, "\(path)")
            #expect(due.isSuperset(of: tests.map { "tests:\($0)" }), "\(path): \(due)")
            #expect(due.isDisjoint(with: others.map { "tests:\($0)" }), "\(path): \(due)")
        }
    }
}
