// Finds the addresses of a server's name. Resolving blocks and cannot be cancelled, so each look-up has its own thread.
import Glibc
import KinePlatform
import NIOCore

/// Finds addresses. A protocol, so that tests can make names slow or unknown, or change their addresses.
protocol NameResolver: Sendable {
    /// Blocks while resolving. Throws if the name is currently unknown.
    func addresses(of host: String, port: Int) throws -> [SocketAddress]
}

/// The system's resolver: getaddrinfo(3).
struct SystemResolver: NameResolver {
    /// A code of getaddrinfo(3).
    struct Error: Swift.Error {
        var code: CInt
    }

    func addresses(of host: String, port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else { throw Error(code: code) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = Self.address(entry), !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        return found
    }

    private static func address(_ entry: addrinfo) -> SocketAddress? {
        guard let bytes = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET: return SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: return SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}

/// Looks up names one at a time. With a dead name server each look-up takes seconds, and parallel ones would only use
/// more threads. Used on its event loop.
final class NameLookUp {
    struct Name: Hashable, Sendable {
        var host: String
        var port: Int
    }
    typealias Answer = Result<[SocketAddress], any Error>

    private let eventLoop: any EventLoop
    private let resolver: any NameResolver
    private var running: Name?
    /// Callers in order.
    private var waiting: [(name: Name, done: (Answer) -> Void)] = []

    init(on eventLoop: any EventLoop, resolver: any NameResolver) {
        self.eventLoop = eventLoop
        self.resolver = resolver
    }

    var isRunning: Bool { running != nil }

    /// `done` is called on the event loop, never before this returns. Callers for the same name get the same answer.
    func find(_ name: Name, _ done: @escaping (Answer) -> Void) {
        waiting.append((name, done))
        if running == nil { start(name) }
    }

    private func start(_ name: Name) {
        running = name
        let deliver = NIOLoopBound({ (answer: Answer) in self.answered(name, answer) }, eventLoop: eventLoop)
        do {
            _ = try DedicatedThread(starting: "name look-up") { [eventLoop, resolver] in
                let answer = Answer { try resolver.addresses(of: name.host, port: name.port) }
                eventLoop.execute { deliver.value(answer) }
            }
        } catch {
            // Callers are not ready for an answer before `find` returns.
            eventLoop.execute { deliver.value(.failure(error)) }
        }
    }

    private func answered(_ name: Name, _ answer: Answer) {
        running = nil
        let answered = waiting.filter { $0.name == name }
        waiting.removeAll { $0.name == name }
        for caller in answered { caller.done(answer) }
        if running == nil, let next = waiting.first { start(next.name) }
    }
}
