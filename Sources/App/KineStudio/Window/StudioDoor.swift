// The socket by which a second `kinecast studio` opens a window on the running server.
import Glibc
import KinePlatform
import KineWire
import SystemPackage

/// The running server's end. Used on one thread.
final class StudioDoor {
    enum Request: Codable, ControlMessage {
        case open

        static var protocolNumber: Int? { ControlProtocol.number }
    }

    /// A link for one window.
    struct Link: Codable, ControlMessage, Equatable {
        /// `http://HOST:PORT/#TOKEN`.
        var address: String
        /// The file that leads to it.
        var file: String

        static var protocolNumber: Int? { ControlProtocol.number }
    }

    private typealias Visitor = ControlConnection<Request, Link>
    private static let mostVisitors = 16
    /// Nanoseconds for the server to answer.
    private static let timeout: Int64 = 10_000_000_000

    private let listener: ControlListener
    private let makeLink: () throws -> Link
    private var visitors: [Visitor] = []

    /// Replaces the socket of a server that was killed: the caller has the lock of the instance.
    init(_ path: FilePath, makeLink: @escaping () throws -> Link) throws {
        unlink(path.cString)
        listener = try ControlListener(path: path)
        self.makeLink = makeLink
    }

    var pollEntries: [pollfd] {
        [pollfd(fd: listener.descriptor.rawValue, events: Int16(POLLIN), revents: 0)]
            + visitors.map { pollfd(fd: $0.descriptor.rawValue, events: $0.pollEvents, revents: 0) }
    }

    func process() {
        visitors = Array((visitors + listener.acceptWaiting(as: Visitor.self).connections).suffix(Self.mostVisitors))
        for visitor in visitors {
            guard let requests = try? visitor.readAvailable() else {
                visitor.close()
                continue
            }
            for _ in requests {
                guard let link = try? makeLink(), (try? visitor.send(link)) != nil else {
                    visitor.close()
                    break
                }
            }
        }
        visitors.removeAll(where: \.isClosed)
    }

    /// Asks the running server for a link; nil if it does not answer.
    static func ask(_ path: FilePath) -> Link? {
        guard let connection = try? ControlConnection<Link, Request>(connectingTo: path),
            (try? connection.send(.open)) != nil
        else { return nil }
        let deadline = MonotonicClock.now() + timeout
        while MonotonicClock.now() < deadline, !connection.isClosed {
            if let link = try? connection.readAvailable().first { return link }
            var entries = [pollfd(fd: connection.descriptor.rawValue, events: connection.pollEvents, revents: 0)]
            WakeSignal.poll(&entries, until: deadline)
        }
        return nil
    }
}
