// Names that are slow, unknown or gone, and hosts that do not answer: the broadcast is late, but it comes.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import KineRTMP
import NIOCore
import NIOPosix
import Testing

@testable import KinePublish

/// Answers as the test says, and counts.
private final class ScriptedResolver: NameResolver, Sendable {
    struct Unknown: Error {}
    struct State: Sendable {
        var addresses: [String]? = ["127.0.0.1"]
        var isHanging = false
        var calls = 0
        var running = 0
        /// The most at one time.
        var most = 0
    }

    let state = Monitor(State())

    func addresses(of host: String, port: Int) throws -> [SocketAddress] {
        state.signal {
            $0.calls += 1
            $0.running += 1
            $0.most = max($0.most, $0.running)
        }
        defer { state.signal { $0.running -= 1 } }
        let addresses = state.wait { $0.isHanging ? nil : $0.addresses ?? [] } ?? []
        guard !addresses.isEmpty else { throw Unknown() }
        return try addresses.map { try SocketAddress(ipAddress: $0, port: port) }
    }

    func release() { state.signal { $0.isHanging = false } }
}

/// A port whose kernel answers no SYN any more, because its queue of connections is full (listen(2), tcp(7)).
private final class SilentPort {
    let number: Int
    private let listener: CInt
    private var waiting: [CInt] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var bound = size
        let isHeld = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(listener, $0, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, $0, &bound) == 0
            }
        }
        try #require(isHeld, "no port could be had")
        self.listener = listener
        number = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
            waiting.append(client)
        }
    }

    deinit {
        for client in waiting { close(client) }
        close(listener)
    }
}

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct DialingTests {
    private static let short: Int64 = 20_000_000

    private static func interruption(_ events: [RTMPEvent], _ words: String) -> Bool {
        events.contains {
            if case .interrupted(let failure, _) = $0 {
                failure.kind == .unreachable && failure.description.contains(words)
            } else {
                false
            }
        }
    }

    @Test func `a dead name server makes a broadcast late, never impossible`() async throws {
        let (server, resolver, told) = (try StrictServerSocket(), ScriptedResolver(), Told())
        resolver.state.withLock { $0.isHanging = true }
        defer { resolver.release() }
        let publisher = try told.publisher("rtmp://name.example:\(server.port)/app/key") {
            $0.resolver = resolver
            $0.times.lookUp = .milliseconds(50)
            $0.firstDelay = Self.short
        }
        try await publisher.start()
        // Several attempts have waited in vain for the same look-up.
        #expect(
            await told.events.next {
                $0.count { if case .interrupted = $0 { true } else { false } } >= 3 ? true : nil
            } == true)
        #expect(told.events.withLock { Self.interruption($0, "No name server") })
        // A stream that never was live does not reconnect.
        #expect(told.states.allSatisfy { $0 == .starting }, "\(told.states)")
        #expect(resolver.state.withLock { $0.calls == 1 && $0.running == 1 })
        resolver.release()
        #expect(await told.accepted())
        #expect(resolver.state.withLock(\.most) == 1)
        for sample in TestStream.samples(0..<100) { publisher.publish(sample) }
        await publisher.finish()
        #expect(told.status?.state == .finished)
    }

    @Test(arguments: [true, false])
    func `when a name is no longer found, the address that worked is used`(isHanging: Bool) async throws {
        let (server, resolver, told) = (try StrictServerSocket(), ScriptedResolver(), Told())
        defer { resolver.release() }
        let publisher = try told.publisher("rtmp://name.example:\(server.port)/app/key") {
            $0.resolver = resolver
            $0.times.timeout = .milliseconds(20)
            $0.firstDelay = Self.short
        }
        try await publisher.start()
        #expect(await told.accepted())
        resolver.state.withLock {
            $0.isHanging = isHanging
            $0.addresses = nil
        }
        server.state.withLock { $0.cut = true }
        #expect(await told.accepted(2))
        await publisher.finish()
    }

    @Test func `an unknown name is reported, and looked up again`() async throws {
        let (server, resolver, told) = (try StrictServerSocket(), ScriptedResolver(), Told())
        resolver.state.withLock { $0.addresses = nil }
        let publisher = try told.publisher("rtmp://name.example:\(server.port)/app/key") {
            $0.resolver = resolver
            $0.firstDelay = Self.short
        }
        try await publisher.start()
        #expect(
            await told.events.next { Self.interruption($0, "The name name.example is not known") ? true : nil } == true)
        resolver.state.withLock { $0.addresses = ["127.0.0.1"] }
        #expect(await told.accepted())
        await publisher.finish()
    }

    @Test func `a host that drops packets does not answer, and is not lost`() async throws {
        let port = try SilentPort()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(port.number)/app/key") {
            $0.retries = 0
            $0.times.connect = .milliseconds(200)
        }
        try? await publisher.start()
        let failure = await told.events.next { events in
            events.lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
        }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.description.contains("it does not answer") == true)
        withExtendedLifetime(port) {}
    }

    @Test func `names are looked up one at a time, and each gets its answer`() async throws {
        let resolver = ScriptedResolver()
        resolver.state.withLock { $0.isHanging = true }
        defer { resolver.release() }
        let answered = Monitor<[Int]>([])
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        eventLoop.execute {
            let lookUp = NameLookUp(on: eventLoop, resolver: resolver)
            for (index, host) in ["a", "b", "a", "c"].enumerated() {
                lookUp.find(.init(host: host, port: 1)) { answer in
                    if case .success(let found) = answer, found.count == 1 { answered.signal { $0.append(index) } }
                    withExtendedLifetime(lookUp) {}
                }
            }
        }
        #expect(await resolver.state.next { $0.calls > 0 ? true : nil } == true)
        resolver.release()
        #expect(await answered.next { $0.count == 4 ? $0 : nil } == [0, 2, 1, 3])
        #expect(resolver.state.withLock { $0.calls == 3 && $0.most == 1 })
    }

    @Test func `in an address book the address that worked last comes first`() throws {
        let (a, b, c) = (
            try SocketAddress(ipAddress: "192.0.2.1", port: 1), try SocketAddress(ipAddress: "192.0.2.2", port: 1),
            try SocketAddress(ipAddress: "192.0.2.3", port: 1)
        )
        let name = NameLookUp.Name(host: "h", port: 1)
        var book = AddressBook()
        book.note(.success([a, b]), of: name)
        #expect(book.worked(name).isEmpty && book.candidates(name) == [a, b])
        book.note(b, of: name)
        #expect(book.worked(name) == [b] && book.candidates(name) == [b, a])
        book.note(.failure(ScriptedResolver.Unknown()), of: name)
        book.note(.success([]), of: name)
        #expect(book.candidates(name) == [b, a])
        // The name has moved.
        book.note(.success([c]), of: name)
        book.note(c, of: name)
        #expect(book.candidates(name) == [c])
    }
}
