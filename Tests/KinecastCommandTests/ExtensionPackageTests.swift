// A new extension's package: its names, its files, and where they are written.
import Glibc
import KineMeasure
import KinePlatform
import KineProgram
import KineServices
import SystemPackage
import Testing

@testable import KinecastCommand

@Suite struct ExtensionPackageTests {
    func package(_ name: String, raw: Bool = false, sources: KinecastSources = .checkout("/a \"b\"")) throws
        -> ExtensionPackage
    {
        ExtensionPackage(
            name: try ExtensionName(name), sources: sources, wantsRawFrames: raw, kinecast: "/it's/kinecast")
    }

    /// A file's text. No word of its template is left in it.
    func text(_ path: String, of package: ExtensionPackage) throws -> String {
        let text = try #require(package.files.first { $0.path == path }?.text)
        #expect(!text.contains("{{"))
        return text
    }

    @Test(arguments: [
        ("meter", "Meter", "meter"), ("sound-meter", "SoundMeter", "sound-meter"),
        ("SoundMeter", "SoundMeter", "sound-meter"),
        ("HTTPMeter2", "HTTPMeter2", "http-meter2"), ("my_own-X", "MyOwnX", "my-own-x"),
    ])
    func `a name becomes a module and an id`(typed: String, module: String, id: String) throws {
        let name = try ExtensionName(typed)
        #expect(name.module == module)
        #expect(name.id == id)
    }

    @Test(arguments: [
        "", "-a", "a-", "a--b", "2nd", "a.b", "a/b", "../a", "a b", "ä", "a\n", String(repeating: "a", count: 61),
    ])
    func `a text that cannot be a name is refused`(typed: String) {
        #expect(throws: ExtensionName.Error.malformed(typed)) { try ExtensionName(typed) }
    }

    @Test(arguments: ["live", "Live", "self", "swift", "kinecast-extension", "testing", "level"])
    func `a name that means something else is refused`(typed: String) {
        #expect(throws: ExtensionName.Error.self) { try ExtensionName(typed) }
    }

    @Test(arguments: [false, true])
    func `the manifest is one that the catalog reads`(raw: Bool) throws {
        let json = try text("manifest.json", of: package("sound-meter", raw: raw))
        let manifest = try ServiceManifest.read(Array(json.utf8)).manifest
        #expect(manifest.id == "sound-meter" && manifest.executable == "sound-meter")
        #expect(manifest.appAudio == .pcm && manifest.micAudio == .pcm)
        #expect(manifest.setup.map(\.key) == ["every"])
        switch manifest.video {
        case .raw: #expect(raw)
        case .encoded: #expect(!raw)
        case nil: Issue.record("no video")
        }
    }

    @Test func `paths and addresses are quoted as their readers need`() throws {
        let package = try package("meter")
        #expect(try text("Package.swift", of: package).contains(#"path: "/a \"b\"""#))
        #expect(try text("scripts/install", of: package).contains(#"echo '/it'\''s/kinecast'"#))
        let remote = try text(
            "Package.swift", of: self.package("meter", sources: .repository("https://example.org/x/Kine.git")))
        #expect(remote.contains(#".package(url: "https://example.org/x/Kine.git", branch: "main", traits: [])"#))
        #expect(remote.contains(#"package: "Kine")"#))
    }

    @Test func `versions are those of the checkout, and the newest where it names none`() throws {
        #expect(try !package("meter").files.contains { $0.path == "Package.resolved" })
        var pinned = try package("meter")
        pinned.pins = "{}"
        #expect(pinned.files.contains(.init(path: "Package.resolved", text: "{}")))
        let here = try #require(KinecastSources.builtFrom)
        #expect(KinecastSources.checkout(here.string).pins?.contains("swift-system") == true)
        #expect(KinecastSources.checkout("/proc").pins == nil)
        #expect(KinecastSources.repository("https://example.org/x.git").pins == nil)
    }

    @Test func `all files are written, and none over one that is there`() throws {
        let temporary = try TemporaryDirectory()
        let directory = FilePath(temporary.file("meter"))
        let package = try package("meter")
        try package.write(to: directory)
        for file in package.files {
            let path = directory.pushing(FilePath(file.path)).string
            #expect(access(path, file.isExecutable ? X_OK : R_OK) == 0, "\(path)")
        }
        let failure = #expect(throws: CommandFailure.self) { try package.write(to: directory) }
        #expect(failure?.status == ExitStatus.cannotCreate)
        // Nothing else is there.
        for file in package.files { unlink(directory.pushing(FilePath(file.path)).string) }
        for left in ["Sources/Meter", "Tests/MeterTests", "scripts", "Sources", "Tests", ""] {
            #expect(rmdir(directory.pushing(FilePath(left)).string) == 0, "\(left)")
        }
    }

    @Test func `sources are a checkout or an address`() throws {
        let here = try #require(KinecastSources.builtFrom)
        #expect(try KinecastSources.find(nil, workingDirectory: "/") == .checkout(here.string))
        #expect(
            try KinecastSources.find("Sources/..", workingDirectory: here) == .checkout(here.string))
        #expect(
            try KinecastSources.find("git@example.org:x.git", workingDirectory: "/")
                == .repository("git@example.org:x.git"))
        #expect(throws: CommandFailure.self) { try KinecastSources.find("tmp", workingDirectory: "/") }
    }
}
