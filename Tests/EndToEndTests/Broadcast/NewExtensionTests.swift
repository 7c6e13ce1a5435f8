// `kinecast extension new`, and everything that it says is next: the package's own tests, its installation, a broadcast to it.
import Glibc
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs, .builds)) struct NewExtensionTests {
    /// Tests begin here, without looking for XCTest classes in an index, which this checkout is built without.
    static let entryPoint = """
        import Glibc
        import Testing

        @main enum Main {
            static func main() async { exit(await Testing.__swiftPMEntryPoint() as CInt) }
        }

        """

    @Test(arguments: [("sound-meter", [String]()), ("Brightness", ["--raw"])])
    func `a new extension builds, passes its tests, installs and runs as written`(
        name: String, options: [String]
    ) throws {
        try TestPlace.with { place in
            let made = try place.run(["extension", "new", name] + options)
            #expect(made.status == 0, "\(made)")
            let package = place.directory.appending(name)
            try place.write(Self.entryPoint, to: "\(name)/Tests/XCTMain.swift")

            let tests = try AuthorCommands.run("swift test", in: package, place.environment)
            #expect(tests.status == 0 && tests.output.contains("Test run with 3 tests in 1 suite passed"), "\(tests)")
            let checkouts = PrivateDirectory.entries(AuthorCommands.extensionsDirectory.appending("checkouts"))
            #expect(checkouts == ["swift-system"], "what an author downloads")
            let installed = try AuthorCommands.run("scripts/install", in: package, place.environment)
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
