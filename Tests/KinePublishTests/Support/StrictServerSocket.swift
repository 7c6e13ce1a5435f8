// The strict server behind a socket: one connection after another, each checked from its first byte to its last.
import CLinux
import CoreTesting
import Glibc
import KinePlatform
import RTMPTesting
import SystemPackage
import Testing

/// Listens on a free port of this machine until it is let go.
final class StrictServerSocket: Sendable {
    struct Connection: Sendable {
        var media: [StrictRTMPServer.Message] = []
        var phase = StrictRTMPServer.Phase.hello
        var connect: [String: StrictAMF] = [:]
        var streamName: String?
        /// What the server found wrong, the end of the connection included; nil: nothing, or not over yet.
        var violation: String?
        var isOver = false
    }

    struct State: Sendable {
        var connections: [Connection] = []
        var descriptor: CInt = -1
        /// The present connection is to be cut off.
        var cut = false
        /// Each connection is cut off once its stream is accepted.
        var cutsWhenPublished = false
        /// Each connection is closed instead of an answer to the stream's name.
        var closesAtStreamName = false
        /// For the next connections, in place of the first behavior.
        var behavior: StrictRTMPServer.Behavior?
        /// Bytes of pings to send once a stream is accepted, while nothing is read; then the connection is cut off.
        var pings = 0
        /// How many of them were sent.
        var pingsSent: Int?
        /// Nothing is read any more.
        var isDeaf = false
        /// A connection that is reset is over even while nothing is read.
        var hearsResets = false
        /// Sent to the publisher as soon as there is a connection.
        var request: String??
        var isClosing = false
    }

    let port: Int
    let state = Monitor(State())
    private let listener: CInt
    private let thread: DedicatedThread

    /// `wanted`: the port, where it has to be a certain one.
    init(_ behavior: StrictRTMPServer.Behavior = .accepts, port wanted: Int = 0) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuse: CInt = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(wanted).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var bound = size
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(listener, $0, size) == 0 && Glibc.listen(listener, 16) == 0
                    && getsockname(listener, $0, &bound) == 0
            }
        }
        try #require(status, "the test's server cannot listen")
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        thread = DedicatedThread(name: "strict-rtmp") { [state] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 || state.withLock(\.isClosing) { return }
                Self.serve(connection, behavior, state)
                close(connection)
            }
        }
    }

    deinit {
        state.signal {
            $0.isClosing = true
            $0.cut = true
        }
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    /// Waits for something that the server sees; nil after five minutes.
    func wait<Result: Sendable>(for body: @escaping @Sendable (inout State) -> Result?) async -> Result? {
        await state.next(body)
    }

    private static func serve(_ connection: CInt, _ behavior: StrictRTMPServer.Behavior, _ state: Monitor<State>) {
        var server = StrictRTMPServer(state.withLock(\.behavior) ?? behavior)
        let index = state.signal { state in
            state.connections.append(Connection())
            return state.connections.count - 1
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var violation: String?
        do {
            while true {
                let isDeaf = state.withLock(\.isDeaf)
                var poller = pollfd(fd: connection, events: isDeaf ? 0 : Int16(POLLIN), revents: 0)
                _ = poll(&poller, 1, 10)
                let order = state.withLock { state in
                    defer { if server.phase >= .media { state.request = nil } }
                    return (isCut: state.cut, request: server.phase >= .media ? state.request : nil)
                }
                if order.isCut {
                    // Without a farewell: what is unread makes the kernel reset the connection.
                    state.withLock { $0.cut = false }
                    violation = "cut off"
                    break
                }
                if let request = order.request { try send(server.reconnectRequest(address: request), connection) }
                if poller.revents & Int16(POLLERR) != 0, state.withLock(\.hearsResets) {
                    violation = "reset"
                    break
                }
                guard !isDeaf, poller.revents != 0 else { continue }
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                let answer = try server.receive(buffer[..<count])
                if server.streamName != nil, state.withLock(\.closesAtStreamName) {
                    violation = "cut off"
                    break
                }
                try send(answer, connection)
                if server.phase == .metadata, state.withLock(\.cutsWhenPublished) {
                    violation = "cut off"
                    state.signal { update(&$0.connections[index], server) }
                    break
                }
                let pings = server.phase == .metadata ? state.withLock(\.pings) : 0
                if pings > 0 {
                    let sent = ping(connection, bytes: pings)
                    violation = "cut off"
                    state.signal {
                        $0.pings = 0
                        $0.pingsSent = sent
                    }
                    break
                }
                state.signal { update(&$0.connections[index], server) }
            }
            if violation == nil { try server.expectEnd() }
        } catch {
            violation = "\(error)"
        }
        state.signal {
            update(&$0.connections[index], server)
            $0.connections[index].violation = violation
            $0.connections[index].isOver = true
        }
    }

    private static func update(_ connection: inout Connection, _ server: StrictRTMPServer) {
        connection.media = server.media
        connection.phase = server.phase
        connection.connect = server.connectProperties
        connection.streamName = server.streamName
    }

    /// Sends so many bytes of pings, unless the publisher leaves or reads none for five minutes. Returns the bytes sent.
    private static func ping(_ connection: CInt, bytes: Int) -> Int {
        let ping: [UInt8] = [2, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 6, 0, 0, 0x12, 0x67]
        let pings = (0..<4096).flatMap { _ in ping }
        var sent = 0
        while sent < bytes {
            var poller = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            guard poll(&poller, 1, 300_000) > 0 else { break }
            let count = pings[(sent % pings.count)...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 || errno == EAGAIN else { break }
            sent += max(count, 0)
        }
        return sent
    }

    private static func send(_ bytes: [UInt8], _ connection: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw StrictRTMPServer.Violation("the publisher does not read") }
            rest = rest.dropFirst(count)
        }
    }
}

extension Monitor {
    /// Waits without keeping a thread of Swift's pool; nil after five minutes.
    func next<Result: Sendable>(_ body: @escaping @Sendable (inout State) -> Result?) async -> Result? {
        await withCheckedContinuation { continuation in
            _ = DedicatedThread(name: "test-wait") {
                continuation.resume(returning: self.wait(until: WaitLimit.deadline(), for: body))
            }
        }
    }
}
