// The places in which an engine is looked for.
import FoundationEssentials
import KineMeasure
import KinePlatform
import KineWire
import SystemPackage
import Testing

@Suite struct EngineLocatorTests {
    @Test func `what the variable names is taken, and nothing else is looked at`() throws {
        #expect(try EngineLocator(named: "/bin/sh", executable: nil).locate() == "/bin/sh")
        #expect(throws: EngineLocator.Error.namedUnusable("/nowhere")) {
            try EngineLocator(named: "/nowhere", executable: "/bin/sh").locate()
        }
        #expect(throws: EngineLocator.Error.namedUnusable("/tmp")) { try EngineLocator(named: "/tmp").locate() }
    }

    @Test func `without it the places beside the app come first, then the command line's, then the system's`() throws {
        let locator = EngineLocator(named: nil, executable: "/nowhere/app/bin/app", command: "/nowhere/kc/bin/kinecast")
        let places: [FilePath] = [
            "/nowhere/app/libexec/kinecast/kinecast-engine", "/nowhere/app/bin/kinecast-engine",
            "/nowhere/kc/libexec/kinecast/kinecast-engine", "/nowhere/kc/bin/kinecast-engine",
            "/usr/local/libexec/kinecast/kinecast-engine", "/usr/libexec/kinecast/kinecast-engine",
        ]
        #expect(try locator.places() == places)
    }

    @Test func `a command line that is a link is followed to where it is installed`() throws {
        let folder = try TemporaryDirectory()
        for directory in ["real/bin", "real/libexec/kinecast"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(directory), withIntermediateDirectories: true)
        }
        let engine = try folder.write(
            [], to: "real/libexec/kinecast/kinecast-engine", permissions: .ownerReadWriteExecute)
        try folder.write([], to: "real/bin/kinecast", permissions: .ownerReadWriteExecute)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("kinecast"), withDestinationPath: "real/bin/kinecast")
        let locator = EngineLocator(named: nil, executable: nil, command: folder.file("kinecast"))
        #expect(try locator.locate().resolved == FilePath(engine).resolved)
    }

    @Test func `where no executable is known the error says so`() {
        #expect(throws: EngineLocator.Error.executableUnknown) {
            try EngineLocator(named: nil, executable: nil, command: nil).locate()
        }
    }
}
