// What a hostile extension finds around it: a display, a bus, a port, the engine's shared memory, the user's files.
import CLinux
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage
import Testing

/// The surroundings of one take with the hostile extension, and its attempts.
final class HostileTake {
    struct Attempt: Equatable {
        var name: String
        var argument = ""
    }

    /// The attempt that succeeds: starting a process, which is ended with the extension.
    static let harmless: Set<String> = ["flee"]

    /// Its manifest names it.
    private static let group = "org.example.group"

    private let place: TestPlace
    private var sockets: [Int32] = []
    private var sharedMemory: Int32 = -1
    private(set) var attempts: [Attempt] = []

    static func with(_ body: (HostileTake) throws -> Void) throws {
        try TestPlace.with { place in
            let take = try HostileTake(place)
            defer { take.clear() }
            try body(take)
        }
    }

    private init(_ place: TestPlace) throws {
        self.place = place
        let home = place.directory.string
        let display = home + "/X7"
        let bus = home + "/bus"
        let journal = home + "/journal"
        sockets = [Self.listening(display), Self.listening("kinecast-test-\(getpid())", isAbstract: true)]
        sockets += [Self.listening(bus), Self.receiving(journal)]
        let (socket, port) = try Loopback.bind(listening: true)
        sockets.append(socket)
        sharedMemory = shmget(0, 4096, 0o1600)
        for name in ["key", "notes"] { try place.write("secret", to: name) }
        // A group whose app names another service, and what the library has kept of that.
        let groups = home + "/.local/share/kinecast/groups"
        for path in [groups + "/\(Self.group)", home + "/.config/kinecast"] {
            _ = try Tool.output("mkdir", ["-p", path])
        }
        try place.write("secret", to: ".local/share/kinecast/groups/\(Self.group)/secret")
        try GroupStore.standard { $0 == "HOME" ? home : nil }.keep([Self.group: ["another"]], of: "org.example.app")
        let kept = home + "/.config/kinecast/groups.json"
        // It may read this one.
        let manifest = home + "/.local/share/kinecast/services/hostile.kinext/manifest.json"
        let withArguments = [
            ("connect", display), ("connect abstract", "kinecast-test-\(getpid())"), ("connect", bus),
            ("datagram", journal), ("raw pair", journal), ("take name", "kinecast-name-\(getpid())"),
            ("attach", "\(sharedMemory)"), ("read", home + "/key"), ("list", home),
            ("change", home + "/key"), ("make", home), ("make", "/tmp"), ("make", "/dev/shm"),
            ("remove", home + "/notes"), ("read", "/etc/shadow"), ("listen", "\(port)"), ("listen", "0"),
            ("execute", "/usr/bin/true"), ("read", groups + "/\(Self.group)/secret"), ("list", groups),
            ("make", groups + "/\(Self.group)"), ("read", kept), ("change", kept), ("mode", home + "/key"),
            ("own mode", manifest), ("times", home + "/key"), ("own times", manifest), ("owner", home + "/key"),
            ("attribute", home + "/key"), ("attributes", home + "/key"), ("empty", home + "/key"),
            ("empty own", manifest), ("lease", manifest), ("flags", manifest),
            ("watch", home), ("linger", "\(port)"), ("option", "ulp"),
            ("option", "congestion"), ("option", "encap"),
        ]
        let withoutArguments = [
            "command line", "neighbours", "environment", "memory by file", "memory by call", "trace",
            "descriptor by file", "descriptor by call", "signal", "signal by descriptor", "limit", "slow down",
            "listen anywhere", "listen by MPTCP", "bind MPTCP", "bind TCP", "bind UDP", "bind UDP6", "other protocol",
            "other netlink", "other family", "memory file", "secret memory", "shared memory", "user namespace",
            "network namespace", "mount", "io_uring", "bpf", "keyring", "performance counters", "userfaultfd",
            "int 0x80", "x32", "raise limit", "flee", "slow down all", "sibling", "disown", "outlive", "semaphores",
        ]
        attempts =
            withArguments.map { Attempt(name: $0, argument: $1) } + withoutArguments.map { Attempt(name: $0) }
        try install()
    }

    private func install() throws {
        var manifest = ServiceManifest(id: "hostile", name: "Hostile", executable: "kinecast-hostile")
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2)
        manifest.setup = ["attempts", "listen"].map { .init(key: $0, title: $0) }
        // It may connect and serve, which is as much as a service gets without being asked about.
        manifest.listen = "listen"
        manifest.restarts = 0
        manifest.groups = [Self.group]
        try place.install(manifest)
    }

    /// Runs a take with the hostile extension; returns what each attempt came to.
    func run(leavingOut: Set<Sandbox.Layer>) throws -> [(attempt: Attempt, outcome: String)] {
        var configuration = TakeConfiguration(
            source: .pattern(PixelSize(width: 320, height: 240)), output: place.path("a.mp4"))
        configuration.audio.app = .none
        configuration.destinations = [.init(service: "hostile", setupInfo: ["attempts": plan], label: "hostile")]
        var confinement = ConfinementRequest()
        confinement.leftOut = leavingOut
        let engine = try EngineUnderTest(configuration, confinement: confinement, in: place)
        try engine.state("done")
        var status = try #require(try engine.status().destinations.first)
        // Counted some times a second, also by an engine that is not dumpable.
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        while status.residentMemory < 1 << 20, MonotonicClock.now() < deadline {
            status = try #require(try engine.status().destinations.first)
        }
        #expect(status.residentMemory > 1 << 20)
        #expect(status.confinement == Set(Sandbox.Layer.allCases).subtracting(leavingOut))
        let outcomes = try outcomes()
        let ended = try engine.stop()
        #expect(ended.exitStatus == 0, "the recording is finished, whatever was tried")
        return outcomes
    }

    /// As `run`, with every layer, from the command line of another user.
    func run(as user: uid_t) throws -> [(attempt: Attempt, outcome: String)] {
        try place.give(to: user)
        let kinecast = try copyExecutables()
        // setpriv is in util-linux, on every Debian.
        let take = try RunningKinecast(
            arguments: [
                "--reuid=\(user)", "--regid=\(user)", "--clear-groups", kinecast.string, "broadcast",
                "--pattern", "320x240", "--audio", "none", "--record", "a.mp4", "--json", "--require-sandbox",
                "--service", "hostile", "--set", "attempts=\(plan)",
            ], environment: place.environment, directory: place.directory, executable: "/usr/bin/setpriv")
        try take.event("destination") { $0.kind == "state" && $0.state == "done" }
        let outcomes = try outcomes()
        // Its memory is counted, which takes until the next time that the engine looks.
        try take.event("progress") { ($0.destinations?.first?.peakMemory ?? 0) > 1 << 20 }
        take.signal(SIGINT)
        let ended = try take.wait()
        #expect(ended.status == 0, "\(ended)")
        return outcomes
    }

    /// Puts Kinecast's executables where any user can reach them, for a build directory may lie in a home that is closed.
    /// Returns the command's path.
    private func copyExecutables() throws -> FilePath {
        let names = ["kinecast", "kinecast-engine", "kinecast-publish"]
        let directory = place.directory.appending("bin")
        _ = try Tool.output(
            "install", ["-D", "-m", "755", "-t", directory.string] + names.map(RunningKinecast.sibling))
        return directory.appending("kinecast")
    }

    private var plan: String { attempts.map { "\($0.name):\($0.argument)" }.joined(separator: ";") }

    private func outcomes() throws -> [(attempt: Attempt, outcome: String)] {
        let file = try FileDescriptor.open(
            place.directory.appending(".local/share/kinecast/data/hostile/outcomes"), .readOnly)
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
        return zip(attempts, lines).map { attempt, line in
            (attempt, line.split(separator: "=").last.map(String.init) ?? "")
        }
    }

    private func clear() {
        for socket in sockets { close(socket) }
        shmctl(sharedMemory, IPC_RMID, nil)
    }

    // MARK: What surrounds it

    private static func address(_ name: String, isAbstract: Bool) -> (sockaddr_un, socklen_t) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : []) + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return (address, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)))
    }

    private static func bound(_ name: String, isAbstract: Bool, _ kind: __socket_type) -> Int32 {
        let fd = socket(AF_UNIX, Int32(kind.rawValue), 0)
        var (address, length) = address(name, isAbstract: isAbstract)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, length) }
        }
        #expect(status == 0, "\(name) cannot be bound")
        if !isAbstract { chmod(name, 0o777) }
        return fd
    }

    private static func listening(_ name: String, isAbstract: Bool = false) -> Int32 {
        let fd = bound(name, isAbstract: isAbstract, SOCK_STREAM)
        listen(fd, 64)
        return fd
    }

    private static func receiving(_ name: String) -> Int32 { bound(name, isAbstract: false, SOCK_DGRAM) }
}

extension TestPlace {
    /// Gives everything here to another user, but the executables, which are links to those that were built.
    func give(to user: uid_t) throws {
        let child = try ChildProcess(
            executable: "/usr/bin/find",
            arguments: [
                directory.string, "(", "-type", "d", "-o", "-links", "1", ")", "-exec", "chown", "-h", "\(user)", "{}",
                "+",
            ], environment: ["PATH=/usr/bin:/bin"])
        #expect(child.wait() == .exited(status: 0))
    }
}
