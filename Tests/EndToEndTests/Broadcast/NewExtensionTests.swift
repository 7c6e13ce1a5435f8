// `kinecast extension new`, and everything that it says is next: the package's own tests, its installation, a broadcast to it.
import Glibc
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized) struct NewExtensionTests {
    /// The compiler has minutes of work where nothing was built before.
    static let patience: Int64 = 900_000_000_000

    /// Where the new packages are built: beside this checkout, from which an author has fewer packages to fetch.
    static let buildDirectory: FilePath = {
        // BUILD/debug, or what that leads to: BUILD/TRIPLE/debug.
        var path = RunningKinecast.executables.removingLastComponent()
        if path.lastComponent?.string.contains("-linux-") == true { path.removeLastComponent() }
        return path.appending("extensions")
    }()

    /// What `swift` means here: itself, with a directory of its own and the options that this checkout is built with. Its environment has
    /// nothing of the test, for the package manager reads all manifests again for each environment; HOME is the tests' own,
    /// where it keeps what it has fetched.
    static let swift = """
        #!/usr/bin/env bash
        set -euo pipefail
        source "$CHECKOUT/scripts/build.sh"
        # What a build leaves behind. Always the same, for it is part of the environment.
        rm -rf "$BUILD/tmp" && mkdir -p "$BUILD/tmp"
        # One build at a time in one directory: the example's tests build there too.
        exec flock "$BUILD.lock" env -i HOME="$OWN_HOME" PATH="$OWN_PATH" TMPDIR="$BUILD/tmp" \\
            swift "$1" "${debug_options[@]}" --force-resolved-versions --scratch-path "$BUILD" "${@:2}"

        """

    /// Tests begin here, without looking for XCTest classes in an index, which this checkout is built without.
    static let entryPoint = """
        import Glibc
        import Testing

        @main enum Main {
            static func main() async { exit(await Testing.__swiftPMEntryPoint() as CInt) }
        }

        """

    /// Runs one of a package's programs to its end.
    func run(_ words: String..., in package: FilePath, _ place: TestPlace) throws -> RunningKinecast.Ended {
        let path = ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin"
        let environment = ProcessEnvironment.merging(
            place.environment,
            [
                "PATH=\(place.directory):\(path)", "KINECAST=\(RunningKinecast.executable)",
                "CHECKOUT=\(RunningKinecast.checkout)", "BUILD=\(Self.buildDirectory)", "OWN_PATH=\(path)",
                "OWN_HOME=\(ProcessEnvironment.value("HOME") ?? "/")",
            ])
        return try RunningKinecast(
            arguments: words, environment: environment, directory: package, executable: "/usr/bin/env"
        ).wait(for: Self.patience)
    }

    @Test(arguments: [("sound-meter", [String]()), ("Brightness", ["--raw"])])
    func `a new extension builds, passes its tests, installs and runs as written`(
        name: String, options: [String]
    ) throws {
        try TestPlace.with { place in
            let made = try place.run(["extension", "new", name] + options)
            #expect(made.status == 0, "\(made)")
            let package = place.directory.appending(name)
            try place.write(Self.swift, to: "swift", permissions: .ownerReadWriteExecute)
            try place.write(Self.entryPoint, to: "\(name)/Tests/XCTMain.swift")

            let tests = try run("swift", "test", in: package, place)
            #expect(tests.status == 0 && tests.output.contains("Test run with 3 tests in 1 suite passed"), "\(tests)")
            let checkouts = PrivateDirectory.entries(Self.buildDirectory.appending("checkouts"))
            #expect(checkouts == ["swift-system"], "what an author downloads")
            let installed = try run("scripts/install", in: package, place)
            #expect(installed.status == 0, "\(installed)")
            for line in [tests, installed].flatMap({ ($0.output + $0.errors).split(separator: "\n") }) {
                #expect(!line.contains(package.string) || !line.contains("warning: "), "\(line)")
            }

            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--json", "--service", name.lowercased(), "--set", "every=0.5")
            try take.event("destination") { event in
                event.kind == "state" && event.state?.contains(" frames/s, ") == true
                    && event.state?.hasSuffix(" dB") == true
            }
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.events.last { $0.kind == "state" }?.state == "done", "\(ended)")
            #expect(ended.events.last?.destinations?.first?.ending == "finished", "\(ended)")
        }
    }

    @Test func `a directory that is there is left alone, and a name that is none is refused`() throws {
        try TestPlace.with { place in
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
