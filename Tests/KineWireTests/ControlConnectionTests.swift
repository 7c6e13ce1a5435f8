// The control channel over real sockets.
import CLinux
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineWire

@Suite struct ControlConnectionTests {
    static func soon() -> Int64 { WaitLimit.deadline() }

    func pair() throws -> (ClientConnection, EngineConnection) {
        let (client, engineEnd) = try ClientConnection.pair()
        return (client, try EngineConnection(adopting: engineEnd))
    }

    @Test func `messages travel both ways and in order`() throws {
        let (client, engine) = try pair()
        try client.send(.pause)
        try client.send(.resume)
        #expect(try engine.receive(until: Self.soon()).map(\.request) == [.pause, .resume])
        try engine.send(.event(.paused))
        #expect(try client.receive(until: Self.soon()) == [.event(.paused)])
    }

    @Test func `reading without a message does not wait`() throws {
        let (client, engine) = try pair()
        #expect(try client.readAvailable() == [])
        #expect(!client.isClosed)
        withExtendedLifetime(engine) {}
    }

    @Test func `the last messages of a peer that has gone are still read`() throws {
        let (client, engine) = try pair()
        try engine.send(.event(.warning("one")))
        try engine.send(.event(.warning("two")))
        engine.close()
        #expect(try client.readAvailable() == [.event(.warning("one")), .event(.warning("two"))])
        #expect(client.isClosed)
        #expect(try client.readAvailable() == [])
        #expect(throws: ControlError.closed) { try client.receive(until: Self.soon()) }
    }

    @Test func `sending to a peer that has gone is an error, not a signal`() throws {
        let (client, engine) = try pair()
        engine.close()
        #expect(throws: ControlError.closed) { try client.send(.pause) }
    }

    @Test func `a peer that does not read is dropped after a bounded number of bytes`() throws {
        let (client, engine) = try pair()
        let text = String(repeating: "x", count: 100_000)
        #expect(throws: ControlError.peerTooSlow) {
            for _ in 0..<100 { try engine.send(.event(.warning(text))) }
        }
        #expect(engine.isClosed)
        withExtendedLifetime(client) {}
    }

    @Test func `a message larger than the socket's buffer arrives as its reader reads`() throws {
        let (client, engine) = try pair()
        let text = String(repeating: "x", count: 900_000)
        try engine.send(.event(.warning(text)))
        #expect(engine.pollEvents & Int16(POLLOUT) != 0)
        let deadline = Self.soon()
        let drained = Monitor(false)
        let thread = DedicatedThread(name: "drain") {
            let done = engine.drain(until: deadline)
            drained.signal { $0 = done }
        }
        #expect(try client.receive(until: deadline) == [.event(.warning(text))])
        thread.join()
        #expect(drained.withLock { $0 })
    }

    @Test func `garbage is an error`() throws {
        let (raw, other) = try UnixSocket.pair()
        let client = try ClientConnection(adopting: raw)
        try other.writeAll("GET / HTTP/1.1\r\n\r\n".utf8)
        #expect(throws: ControlError.protocolError(.notKinecast)) { try client.readAvailable() }
        #expect(client.isClosed)
        try other.close()
    }

    @Test func `whole messages before garbage are delivered first`() throws {
        let (raw, other) = try UnixSocket.pair()
        let client = try ClientConnection(adopting: raw)
        let good = try ControlEncoder.frame(ControlHello()) + ControlEncoder.frame(EngineMessage.event(.paused))
        try other.writeAll(good + [0xff, 0xff, 0xff, 0xff])
        #expect(try client.readAvailable() == [.event(.paused)])
        #expect(throws: ControlError.self) { try client.readAvailable() }
        try other.close()
    }

    @Test func `waiting ends at the deadline`() throws {
        let (client, engine) = try pair()
        #expect(try client.receive(until: MonotonicClock.now() + 20_000_000) == [])
        withExtendedLifetime(engine) {}
    }

    @Test func `a socket path too long for the system is named`() {
        let path = FilePath("/tmp/" + String(repeating: "d", count: 120))
        let error = ControlError.pathTooLong(path.string, limit: UnixSocket.pathLimit)
        #expect(throws: error) { try ControlListener(path: path) }
        #expect(throws: error) { try ClientConnection(connectingTo: path) }
    }

    @Test func `a socket's directory may have any length`() throws {
        try TemporaryDirectory.with { directory in
            let place = directory.appending(String(repeating: "d", count: 150))
            mkdir(place.string, 0o700)
            let path = place.appending("s")
            let listener = try ControlListener(path: path)
            #expect(access(path.string, F_OK) == 0)
            let client = try ClientConnection(connectingTo: path)
            withExtendedLifetime((listener, client)) {}
        }
    }

    @Test func `only its owner may use a socket`() throws {
        try TemporaryDirectory.with { directory in
            let path = directory.appending("s")
            let listener = try ControlListener(path: path)
            var status = stat()
            #expect(stat(path.string, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            withExtendedLifetime(listener) {}
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can put another user at the other end"), .tags(.real))
    func `a process of another user is turned away`() throws {
        try TemporaryDirectory.with { directory in
            chmod(directory.string, 0o755)
            let path = directory.appending("s")
            let listener = try ControlListener(path: path)
            chmod(path.string, 0o666)
            // setpriv (util-linux, on every Debian) changes the user, perl (perl-base, too) connects and waits for the end.
            let connect = """
                use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 3; exit(<$s> ? 4 : 0)
                """
            let stranger = try ChildProcess(
                executable: "/usr/bin/setpriv",
                arguments: ["--reuid=65534", "--clear-groups", "/usr/bin/perl", "-e", connect, path.string],
                environment: [])
            #expect(WakeSignal.poll([listener.descriptor.rawValue], until: Self.soon()) == [true])
            #expect(listener.acceptWaiting(as: EngineConnection.self).connections.isEmpty)
            #expect(stranger.end(signal: 0, deadline: Self.soon()) == .exited(status: 0))
        }
    }
}
