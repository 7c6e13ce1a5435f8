// The registry on a real file system, and the choice of a take by what a person types.
import CLinux
import FoundationEssentials
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineTakes
@testable import KineWire

@Suite struct TakeRegistryTests {
    static func record(_ id: String) -> TakeRecord {
        TakeRecord(id: id, pid: 1, output: "/tmp/\(id).mp4", source: "pattern", started: 0)
    }

    @Test func `a recorded entry of the registry is still read`() throws {
        let line = #"{"id":"0a1b2c3d","output":"\/tmp\/a.mp4","pid":17,"source":"screen","started":1700000000.5}"#
        let record = try JSONDecoder().decode(TakeRecord.self, from: Data(line.utf8))
        #expect(
            record
                == TakeRecord(id: "0a1b2c3d", pid: 17, output: "/tmp/a.mp4", source: "screen", started: 1_700_000_000.5)
        )
    }

    @Test func `a registered take is found, connected to, and gone when it is unregistered`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            #expect(registry.list() == .init(running: [registration.record]))
            #expect(try registry.find(nil) == registration.record)
            let client = try registry.connect(to: registration.record)
            try client.send(.status)
            // The listings connected too, to see whether an engine was there.
            let engines = registration.listener.acceptWaiting(as: EngineConnection.self).connections
            #expect(engines.contains { (try? $0.readAvailable())?.map(\.request) == [.status] })
            registration.unregister()
            #expect(registry.list() == .init())
            #expect(PrivateDirectory.entries(base.appending("takes")) == [])
        }
    }

    @Test func `an engine that removes its entry during a listing is not listed as dead`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let leaving = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            let listing = registry.list { socket in
                leaving.unregister()
                return ControlListener.isListening(at: socket)
            }
            #expect(listing == .init())
        }
    }

    @Test func `only its owner may enter a take's directory`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            #expect(try PrivateDirectory.check(registration.directory) == 0o700)
            #expect(try PrivateDirectory.check(registry.directory) == 0o700)
            withExtendedLifetime(registration) {}
        }
    }

    /// The files of a take without a listening engine: what SIGKILL leaves.
    private func leave(_ id: String, output: String?, in registry: TakeRegistry) throws {
        let dead = registry.directory.appending(id)
        try PrivateDirectory.make(dead)
        try UnixSocket.listen(at: dead.appending(TakeRegistry.socketName)).close()
        let record = TakeRecord(id: id, pid: 1, output: output, source: "pattern", started: 0)
        try PrivateDirectory.write(Array(JSONEncoder().encode(record)), to: dead.appending(TakeRegistry.recordName))
    }

    @Test func `a take whose engine died stays in the list until it is dismissed or its file recovered`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let running = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            try leave("deadbee1", output: "/tmp/a.mp4", in: registry)
            try leave("deadbee2", output: "/tmp/b.mp4", in: registry)
            try leave("deadbee3", output: nil, in: registry)
            // Listing removes nothing.
            for _ in 0..<3 {
                #expect(registry.list().dead.map(\.id) == ["deadbee1", "deadbee2", "deadbee3"])
                #expect(try registry.find(nil) == running.record)
                #expect(throws: TakeRegistry.Error.self) { try registry.find("deadbee2") }
            }
            registry.forget { $0.output == "/tmp/a.mp4" }
            #expect(registry.list().dead.map(\.id) == ["deadbee2", "deadbee3"])
            #expect(throws: TakeRegistry.Error.self) { try registry.dismiss(nil) }
            #expect(throws: TakeRegistry.Error.running(running.record)) { try registry.dismiss(running.record.id) }
            #expect(try registry.dismiss("deadbee3").output == nil)
            #expect(try registry.dismiss(nil).id == "deadbee2")
            #expect(throws: TakeRegistry.Error.nothingDied) { try registry.dismiss(nil) }
            #expect(registry.list() == .init(running: [running.record]))
        }
    }

    @Test func `the error for a take that died says how to recover its file`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            try leave("deadbeef", output: "/tmp/it's mine.mp4", in: registry)
            let error = #expect(throws: TakeRegistry.Error.self) { try registry.find("dead") }
            #expect(error?.description.contains(#"kinecast recover '/tmp/it'\''s mine.mp4'"#) == true)
            #expect(error?.description.contains("kinecast dismiss deadbeef") == true)
        }
    }

    @Test(arguments: ["../beside", "..", "deadbee2", ""])
    func `a damaged record with another id removes nothing else`(name: String) throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            try leave("deadbee1", output: "/tmp/a.mp4", in: registry)
            let path = registry.directory.appending("deadbee1").appending(TakeRegistry.recordName)
            try #require(unlink(path.string) == 0)
            let record = TakeRecord(id: name, pid: 0, output: "/tmp/a.mp4", source: "pattern", started: 0)
            try PrivateDirectory.write(Array(JSONEncoder().encode(record)), to: path)
            try PrivateDirectory.make(base.appending("beside"))
            try PrivateDirectory.write([], to: base.appending("beside/kept"))
            #expect(registry.list().dead.map(\.id) == ["deadbee1"])
            #expect(try registry.dismiss("dead").id == "deadbee1")
            #expect(registry.list() == .init())
            #expect(PrivateDirectory.entries(base.appending("beside")) == ["kept"])
        }
    }

    @Test func `what a dead process had begun, or names no take, is removed, and other files are left alone`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let child = try ChildProcess(executable: "/bin/true", arguments: [], environment: [])
            _ = child.wait()
            let own = ".new-\(getpid())-deadbeef"
            // To kill(2), 0 is the caller's own group, and that exists.
            for name in [".new-0-deadbee1", ".new-\(child.pid)-deadbeef", "deadbeef", own] {
                try PrivateDirectory.make(registry.directory.appending(name))
            }
            try PrivateDirectory.write([1], to: registry.directory.appending("notes"))
            #expect(registry.list() == .init())
            #expect(Set(PrivateDirectory.entries(registry.directory)) == [own, "notes"])
        }
    }

    @Test func `several takes are listed, oldest first`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let takes = try (0..<5).map { try registry.register(output: "/tmp/\($0).mp4", source: "pattern") }
            #expect(registry.list().running == takes.map(\.record).sorted { ($0.started, $0.id) < ($1.started, $1.id) })
            #expect(Set(takes.map(\.record.id)).count == 5)
        }
    }

    @Test func `the beginning of one take's id is enough, in either case and with letters that look alike`() throws {
        let takes = ["abc11111", "abd00000"].map(Self.record)
        #expect(try TakeRegistry.choose("abc", among: takes).id == "abc11111")
        #expect(try TakeRegistry.choose("ABC1", among: takes).id == "abc11111")
        #expect(try TakeRegistry.choose("abcil", among: takes).id == "abc11111")
        #expect(try TakeRegistry.choose("abdoo", among: takes).id == "abd00000")
        #expect(try TakeRegistry.choose(nil, among: [takes[0]]).id == "abc11111")
    }

    @Test func `a beginning of several ids names them, a beginning of none lists what runs`() {
        let takes = ["abc11111", "abd00000", "xyz00000"].map(Self.record)
        #expect(throws: TakeRegistry.Error.ambiguous("ab", Array(takes[..<2]))) {
            try TakeRegistry.choose("ab", among: takes)
        }
        #expect(throws: TakeRegistry.Error.ambiguous(nil, takes)) { try TakeRegistry.choose(nil, among: takes) }
        #expect(throws: TakeRegistry.Error.unknown("q", running: takes)) { try TakeRegistry.choose("q", among: takes) }
        #expect(throws: TakeRegistry.Error.unknown("", running: takes)) { try TakeRegistry.choose("", among: takes) }
        #expect(throws: TakeRegistry.Error.nothingRuns) { try TakeRegistry.choose(nil, among: []) }
    }

    @Test func `ids are eight characters without letters that look alike`() {
        for _ in 0..<1000 {
            let id = TakeID.random()
            #expect(TakeID(id.description) == id)
            #expect(id.description.count == 8)
            #expect(!id.description.contains { "ilou".contains($0) })
        }
        for text in ["", "abc", "../../../", "ABCDEFGH", "abcdefghi", ".new-1-a", "iiiiiiii"] {
            #expect(TakeID(text) == nil)
        }
    }

    @Test func `a directory that others may enter, a link and a file are refused`() throws {
        try TemporaryDirectory.with { base in
            mkdir(base.appending("open").string, 0o700)
            chmod(base.appending("open").string, 0o755)
            symlink("/tmp", base.appending("link").string)
            try PrivateDirectory.write([], to: base.appending("file"))
            for name in ["open", "link", "file"] {
                #expect(throws: TakeRegistry.Error.self) { try TakeRegistry(directory: base.appending(name)) }
            }
        }
    }

    @Test func `a directory of another user is refused`() throws {
        try TemporaryDirectory.with { base in
            // Only root can give a directory away; an ordinary user finds one that root owns.
            let given = base.appending("given")
            mkdir(given.string, 0o700)
            let foreign = chown(given.string, 65534, 65534) == 0 ? given : FilePath("/usr")
            #expect(throws: TakeRegistry.Error.self) { try TakeRegistry(directory: foreign) }
        }
    }

    @Test func `the runtime directory is used if it is ours and closed, the temporary one otherwise`() throws {
        try TemporaryDirectory.with { base in
            let good = base.appending("good")
            let shared = base.appending("shared")
            for path in [good, shared] { mkdir(path.string, 0o700) }
            chmod(shared.string, 0o777)
            let runtime = try TakeRegistry.standard { $0 == "XDG_RUNTIME_DIR" ? good.string : nil }
            #expect(runtime.directory == good.appending("kinecast/takes"))
            for unusable in [shared.string, base.appending("missing").string, "relative", ""] {
                let fallback = try TakeRegistry.standard(userRuntimeDirectory: base.appending("none").string) {
                    $0 == "XDG_RUNTIME_DIR" ? unusable : $0 == "TMPDIR" ? good.string : nil
                }
                #expect(fallback.directory == good.appending("kinecast-\(getuid())/takes"))
            }
        }
    }
}
