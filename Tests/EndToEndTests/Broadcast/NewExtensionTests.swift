// `kinecast extension new`, and everything that it says is next: the package's own tests, its installation, a broadcast to it.
import Glibc
import KinePlatform
import KineRelay
import SystemPackage
import Testing

@Suite(.serialized) struct NewExtensionTests {
    /// The compiler has a minute's work the first time.
    static let patience: Int64 = 900_000_000_000

    /// Of this checkout, for what the new packages build: they have the same dependencies, and compile them once.
    static let scratch: FilePath = {
        var path = FilePath(#filePath)  // Tests/EndToEndTests/Broadcast/NewExtensionTests.swift
        for _ in 0..<4 { path.removeLastComponent() }
        return path.appending(".build-extensions")
    }()

    /// Runs one of a package's programs. HOME is the tests' own, for the package manager keeps what it has fetched there.
    func run(_ words: [String], in directory: FilePath, _ place: Workplace) throws -> RunningKinecast.Ended {
        let home = ProcessEnvironment.value("HOME") ?? "/"
        // But services go where the place's own HOME leads.
        let data = place.environment.first { $0.hasPrefix("XDG_DATA_HOME=") }
        let environment =
            place.environment.filter { !$0.hasPrefix("HOME=") }
            + ["HOME=\(home)", "KINECAST=\(RunningKinecast.executable)"]
            + (data == nil ? ["XDG_DATA_HOME=\(place.directory)/.local/share"] : [])
        let program = try #require(words[0].contains("/") ? words[0] : ExecutableSearch.find(words[0]))
        return try RunningKinecast(
            arguments: Array(words.dropFirst()), environment: environment, directory: directory, executable: program
        ).wait(for: Self.patience)
    }

    @Test(arguments: [("sound-meter", [String]()), ("Brightness", ["--raw"])])
    func `a new extension builds, passes its tests, installs and runs as written`(
        name: String, options: [String]
    ) throws {
        try Workplace.with { place in
            let made = try RunningKinecast(
                arguments: ["extension", "new", name] + options, environment: place.environment,
                directory: place.directory
            ).wait()
            #expect(made.status == 0, "\(made)")
            let package = place.directory.appending(name)
            let scratch = ["--scratch-path", Self.scratch.string]

            let tests = try run(["swift", "test"] + scratch, in: package, place)
            #expect(tests.status == 0, "\(tests)")
            #expect(!tests.output.contains("warning: ") || !tests.output.contains(package.string), "\(tests)")

            let installed = try run([package.appending("scripts/install").string] + scratch, in: package, place)
            #expect(installed.status == 0, "\(installed)")

            let id = name.lowercased()
            let ended = try place.run(
                "broadcast", "--pattern", "320x240", "--for", "3", "--json", "--service", id, "--set", "every=0.5")
            #expect(ended.status == 0, "\(ended)")
            let states = ended.events.filter { $0.kind == "state" }.compactMap(\.state)
            #expect(states.contains { $0.contains(" pictures/s, ") && $0.hasSuffix(" dB") }, "\(states)")
            #expect(states.last == "done")
            #expect(ended.events.last?.destinations?.first?.ending == "finished", "\(ended)")
        }
    }

    @Test func `a directory that is there is left alone, and a name that is none is refused`() throws {
        try Workplace.with { place in
            #expect(mkdir(place.path("meter"), 0o700) == 0)
            let taken = try place.run("extension", "new", "meter")
            #expect(taken.status == ExitStatus.cannotCreate && taken.errors.contains("--path"), "\(taken)")
            #expect(rmdir(place.path("meter")) == 0)
            #expect(try place.run("extension", "new", "../meter").status == ExitStatus.usage)
            #expect(try place.run("extension", "new", "live").status == ExitStatus.usage)
            #expect(try place.run("extension", "new", "meter", "--kinecast", ".").status == ExitStatus.usage)
            #expect(try place.run("extension", "new", "meter", "--path", "none").status == ExitStatus.cannotCreate)
        }
    }
}
