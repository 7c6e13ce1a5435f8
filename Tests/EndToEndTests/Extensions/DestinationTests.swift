// What destinations are to a take: good ones get their callbacks in order, refused ones are refused before anything begins,
// and what an extension can see is only its own.
import Glibc
import KinePlatform
import KineWire
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct DestinationTests {
    @Test func `a good extension goes through all of its phases and finishes with the take`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            try engine.state("now")
            try engine.connection.send(.pause)
            try engine.state("paused")
            try engine.connection.send(.resume)
            try engine.state("resumed")
            try engine.connection.send(.annotate(["scene": "2"]))
            try engine.state("scene 2")
            let status = try #require(try engine.status().destinations.first)
            #expect(status.phase == .live && status.service == "faults" && status.pid ?? 0 > 0)
            #expect(status.residentMemory > 1 << 20 && status.peakMemory >= status.residentMemory)
            #expect(status.memoryLimit == 50 << 20)
            let summary = try engine.finish(in: place, exitStatus: 0)
            let destination = try #require(summary?.destinations.first)
            #expect(destination.ending == .finished && destination.phase == .ended && destination.restarts == 0)
            let phases = engine.heard.compactMap { heard -> DestinationPhase? in
                guard case .destination(let event) = heard.event, case .phase(let phase) = event.kind else {
                    return nil
                }
                return phase
            }
            #expect(phases == [.launching, .starting, .live, .paused, .live, .finishing])
        }
    }

    @Test func `between a pause and its end there is no sample, neither frame nor audio`() throws {
        try TestPlace.with { place in
            try place.installFaults { $0.appAudio = .aac }
            var configuration = place.faultyTake("none")
            configuration.audio.app = .system(required: false)
            let engine = try EngineUnderTest(configuration, in: place)
            try engine.state("now")
            for _ in 0..<3 {
                let paused = engine.count(of: .state("paused"))
                try engine.connection.send(.pause)
                try engine.wait("another pause") { _ in engine.count(of: .state("paused")) > paused ? true : nil }
                try engine.connection.send(.resume)
                try engine.wait("its end") { _ in engine.count(of: .state("resumed")) > paused ? true : nil }
            }
            let warnings = engine.kinds().filter { if case .warning = $0 { true } else { false } }
            #expect(warnings == [])
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `five services that say as much of themselves as they can are all in the take's summary`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake("longInfo")
            configuration.destinations = Array(repeating: configuration.destinations[0], count: 5)
            let engine = try EngineUnderTest(configuration, in: place)
            for index in 0..<5 {
                try engine.event(of: index, "what it says") { if case .serviceInfo = $0 { true } else { nil } }
            }
            let ended = try engine.stop()
            #expect(ended.exitStatus == 0 && ended.failure == nil)
            let destinations = try #require(ended.summary?.destinations)
            #expect(destinations.map(\.ending) == Array(repeating: .finished, count: 5))
            // Two keys and values of 100 and 1000 quotation marks would be more than 4096 bytes in JSON.
            #expect(destinations.allSatisfy { $0.serviceInfo?.count == 1 }, "\(destinations)")
        }
    }

    @Test func `without a recording the take ends with its last destination, with 75`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("exitInTheMiddle", records: false), in: place)
            let ended = try engine.end()
            #expect(ended.exitStatus == ExitStatus.destinationFailed)
            #expect(ended.failure?.exitStatus == ExitStatus.destinationFailed)
            #expect(ended.failure?.message.contains("nothing is recorded") ?? false)
            #expect(ended.summary?.destinations.first?.ending == .crashed("exit status 0"))
        }
    }

    @Test func `a service that is not there is refused with the names of those that are`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake("none")
            configuration.destinations[0].service = "nobody"
            let ended = try EngineUnderTest(configuration, in: place).end()
            #expect(ended.exitStatus == ExitStatus.unavailable)
            let message = try #require(ended.failure?.message)
            #expect(message.contains("nobody") && message.contains("live") && message.contains("faults"))
            #expect(access(place.path("a.mp4"), F_OK) != 0, "nothing was begun")
        }
    }

    @Test func `a setting that the service does not know, or lacks, is refused with 64`() throws {
        try TestPlace.with { place in
            try place.installFaults { $0.setup.append(.init(key: "key", title: "Stream key", isRequired: true)) }
            let missing = try EngineUnderTest(place.faultyTake("none"), in: place).end()
            #expect(missing.exitStatus == ExitStatus.usage)
            #expect(missing.failure?.message.contains("needs the setting “key”") ?? false)
            let unknown = try EngineUnderTest(place.faultyTake("none", ["key": "k", "kye": "x"]), in: place).end()
            #expect(unknown.exitStatus == ExitStatus.usage)
            #expect(unknown.failure?.message.contains("kye") ?? false)
            let address = try EngineUnderTest(
                place.faultyTake("none", ["key": "k", "url": "rtmp://h/secret"]), in: place
            )
            .end()
            #expect(address.exitStatus == ExitStatus.usage)
            #expect(address.failure.map { !$0.message.contains("secret") } ?? false)
        }
    }

    @Test func `an extension sees no display, no session and no descriptor but its own`() throws {
        try TestPlace.with { place in
            try place.installFaults { $0.environment = ["FOR_ME"] }
            let engine = try EngineUnderTest(
                place.faultyTake("lookAround"), in: place,
                environment: [
                    "DISPLAY=:7", "XAUTHORITY=/x", "PULSE_SERVER=unix:/p", "WAYLAND_DISPLAY=w",
                    "DBUS_SESSION_BUS_ADDRESS=d",
                    "FOR_ME=1", "SECRET_TOKEN=t", "LD_LIBRARY_PATH=/nowhere-\(getpid())",
                ])
            try engine.state("now")
            func line(_ name: String) throws -> String {
                try engine.event(name) { kind -> String? in
                    guard case .state(let text) = kind, text.hasPrefix(name + " ") else { return nil }
                    return String(text.dropFirst(name.count + 1))
                }.0
            }
            let environment = Set(try line("environment").split(separator: " ").map(String.init))
            #expect(environment.isSuperset(of: ["HOME", "PATH", "LC_ALL", "FOR_ME"]))
            let own: Set = [
                "HOME", "PATH", "LC_ALL", "FOR_ME", "KINECAST_EXTENSION", "KINECAST_DATA", "SWIFT_BACKTRACE",
            ]
            #expect(environment.subtracting(own) == [])
            let descriptors = try line("descriptors").split(separator: " ").map(String.init)
            #expect(descriptors.filter { $0.hasSuffix(":/dev/null") } == ["0:/dev/null", "1:/dev/null"])
            #expect(descriptors.contains { $0.hasPrefix("2:/memfd:kinecast-extension") })
            #expect(descriptors.contains("3:socket:"))
            // Its rings and what it made itself; no file of the recording, no other socket, nothing of the screen.
            let allowed = ["/dev/null", "/memfd:kinecast-", "pipe:", "anon_inode:"]
            for descriptor in descriptors where !descriptor.hasPrefix("3:") {
                let target = descriptor.drop { $0 != ":" }.dropFirst()
                #expect(allowed.contains { target.hasPrefix($0) }, "it has \(descriptor)")
            }
            #expect(try line("noNewPrivileges") == "1")
            // 0 where the machine has no cores at all.
            #expect(try ["0", "1"].contains(line("coreLimit")))
            #expect(UInt(try line("dataLimit")).map { $0 < 1 << 31 } ?? false)
            #expect(try line("session") == "true directory /")
            let pid = try #require(try engine.status().destinations.first?.pid)
            #expect(try commandLine(of: pid).count == 1, "nothing is told by arguments, which everybody can read")
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    private func commandLine(of pid: Int32) throws -> [String] {
        let file = try FileDescriptor.open(FilePath("/proc/\(pid)/cmdline"), .readOnly)
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        return bytes[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(.enabled(if: getuid() == 0, "only root can run a process of another user"))
    func `a process of another user cannot connect to the take`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            try engine.phase(.live)
            let record = try place.registry().find(nil)
            let socket = try place.registry().socketPath(of: record.id)
            // setpriv (util-linux, on every Debian) changes the user, perl (perl-base, too) connects.
            let connect = "use IO::Socket::UNIX; exit(IO::Socket::UNIX->new(Peer => $ARGV[0]) ? 4 : 3)"
            let stranger = try ChildProcess(
                executable: "/usr/bin/setpriv",
                arguments: ["--reuid=65534", "--clear-groups", "/usr/bin/perl", "-e", connect, socket.string],
                environment: [])
            let deadline = MonotonicClock.now() + RunningKinecast.timeout
            #expect(stranger.end(signal: 0, deadline: deadline) == .exited(status: 3))
            try engine.finish(in: place, exitStatus: 0)
        }
    }
}
