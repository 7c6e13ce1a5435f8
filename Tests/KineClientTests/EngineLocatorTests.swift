// The places in which an engine is looked for.
import KineClient
import SystemPackage
import Testing

@Suite struct EngineLocatorTests {
    @Test func `what the variable names is taken, and nothing else is looked at`() throws {
        #expect(try EngineLocator(named: "/bin/sh", executable: nil).locate() == "/bin/sh")
        #expect(throws: ClientError.namedEngineUnusable("/nowhere")) {
            try EngineLocator(named: "/nowhere", executable: "/bin/sh").locate()
        }
        #expect(throws: ClientError.namedEngineUnusable("/tmp")) { try EngineLocator(named: "/tmp").locate() }
    }

    @Test func `without it the installed place is looked at, then the executable's own directory`() {
        let places: [FilePath] = ["/opt/libexec/kinecast/kinecast-engine", "/opt/bin/kinecast-engine"]
        #expect(throws: ClientError.engineNotFound(places: places)) {
            try EngineLocator(named: nil, executable: "/opt/bin/app").locate()
        }
    }

    @Test func `without proc the error says so`() {
        #expect(throws: ClientError.executableUnknown) { try EngineLocator(named: nil, executable: nil).locate() }
    }
}
