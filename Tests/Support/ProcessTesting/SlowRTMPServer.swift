// A server that takes no more than so much: what a narrow network does to a publisher.
import Glibc
import KineMeasure
import KinePlatform
import RTMPTesting
import Testing

/// Takes one publisher on a free port of this machine, and checks every byte of its order.
package final class SlowRTMPServer: Sendable {
    package struct State: Sendable {
        /// Bits a second; nil: as it comes.
        package var speed: Int?
        package var media: [StrictRTMPServer.Message] = []
        /// What it found wrong, the end of the connection included.
        package var violation: String?
        package var isOver = false
    }

    package let port: Int
    package let state: Monitor<State>
    private let listener: CInt
    private let thread: DedicatedThread
    /// Nanoseconds between two reads of a slow server.
    private static let tick: Int64 = 20_000_000

    package init(speed: Int) throws {
        (listener, port) = try Loopback.bind()
        // The kernel must not take for the server what it does not read; connections inherit this.
        var space: CInt = 8192
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &space, socklen_t(MemoryLayout<CInt>.size))
        try #require(listen(listener, 4) == 0, "the test's server cannot listen")
        let state = Monitor(State(speed: speed))
        self.state = state
        thread = DedicatedThread(name: "slow-rtmp") { [listener] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            Self.serve(connection, state)
            close(connection)
        }
    }

    deinit {
        state.withLock { $0.speed = nil }
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    private static func serve(_ connection: CInt, _ state: Monitor<State>) {
        var server = StrictRTMPServer()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var violation: String?
        var told = 0
        do {
            while true {
                var most = buffer.count
                // From the first sample on; before it, everybody is quick.
                if server.phase >= .media, let speed = state.withLock(\.speed) {
                    most = max(1, min(most, speed / 8 * Int(tick / 1_000_000) / 1000))
                    _ = WakeSignal.poll([], until: MonotonicClock.now() + tick)
                }
                let count = recv(connection, &buffer, most, 0)
                guard count > 0 else { break }
                let answer = try server.receive(buffer[..<count])
                if !answer.isEmpty {
                    let sent = answer.withUnsafeBytes {
                        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard sent == answer.count else { throw StrictRTMPServer.Violation("the publisher does not read") }
                }
                let new = server.media[told...]
                told = server.media.count
                if !new.isEmpty { state.signal { $0.media += new } }
            }
            try server.expectEnd()
        } catch {
            violation = "\(error)"
        }
        state.signal { state in
            state.violation = violation
            state.isOver = true
        }
    }
}
