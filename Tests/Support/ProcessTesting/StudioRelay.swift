// The port at which windows find a studio: it leads to the studio, to nobody, or to a server of somebody else.
import Glibc
import KineMeasure
import KinePlatform
import Synchronization
import SystemPackage

package final class StudioRelay: Sendable {
    package enum Destination: Sendable {
        case server(port: Int)
        case nobody
        /// Notes each request, and answers it with a script.
        case stranger
    }

    private struct State {
        var destination = Destination.nobody
        var sockets: Set<Int32> = []
        var heads: [String] = []
    }

    package let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    package init() throws {
        (listener, port) = try Loopback.bind(listening: true)
        _ = try DedicatedThread(starting: "relay") { [self] in
            while case let socket = accept(listener, nil, nil), socket >= 0 { serve(socket) }
        }
    }

    /// The heads of the requests that the stranger got.
    package var heads: [String] { state.withLock { $0.heads } }

    /// Ends all connections, and leads those that come elsewhere.
    package func lead(to destination: Destination) {
        state.withLock { state in
            state.destination = destination
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    package func end() {
        lead(to: .nobody)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ socket: Int32) {
        let destination = state.withLock { state in
            state.sockets.insert(socket)
            return state.destination
        }
        switch destination {
        case .nobody: forget(socket)
        case .stranger:
            _ = try? DedicatedThread(starting: "stranger") { [self] in
                answer(socket)
                forget(socket)
            }
        case .server(let port):
            guard let server = try? Loopback.connect(to: port).rawValue else { return forget(socket) }
            _ = state.withLock { $0.sockets.insert(server) }
            // Both are closed by the thread that ends last: the number of a closed one may be another file's.
            let open = Monitor(2)
            for (from, to) in [(socket, server), (server, socket)] {
                _ = try? DedicatedThread(starting: "pump") { [self] in
                    var bytes = [UInt8](repeating: 0, count: 65536)
                    while case let count = read(from, &bytes, bytes.count), count > 0, write(to, bytes, count) == count
                    {}
                    shutdown(to, Int32(SHUT_RDWR))
                    let isLast = open.withLock { open in
                        open -= 1
                        return open == 0
                    }
                    if isLast { for one in [from, to] { forget(one) } }
                }
            }
        }
    }

    private func answer(_ socket: Int32) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), read(socket, &byte, 1) == 1 { head.append(byte) }
        guard !head.isEmpty else { return }
        state.withLock { $0.heads.append(String(decoding: head, as: UTF8.self)) }
        let script = "document.title = 'taken'"
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: \(script.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(script)"
        _ = answer.withCString { write(socket, $0, strlen($0)) }
    }

    private func forget(_ socket: Int32) {
        _ = state.withLock { $0.sockets.remove(socket) }
        close(socket)
    }
}
