// The socket by which a second `kinecast studio` opens a window on the running server.
import Glibc
import KinePlatform
import KineWire
import SystemPackage

/// The running server's end. Used on one thread.
final class StudioDoor {
    enum Request: Codable, ControlMessage {
        case open
        /// Opens the window at a recording: an absolute path.
        case show(String)

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

    typealias Visitor = ControlConnection<Request, Link>
    typealias Accept = (ControlListener) -> (connections: [Visitor], isExhausted: Bool)

    private static let mostVisitors = 16
    /// Nanoseconds until visitors are accepted again, when no descriptor was left for one.
    static let acceptRest: Int64 = 250_000_000
    /// Nanoseconds for the server to answer.
    private static let timeout: Int64 = 10_000_000_000

    private let listener: ControlListener
    private let accept: Accept
    /// The instant for `process`, while descriptors have run out. The socket stays readable, so it is not polled.
    private(set) var nextDeadline: Int64?
    private let makeLink: (String?) throws -> Link
    private var visitors: [Visitor] = []

    /// Replaces the socket of a server that was killed: the caller has the lock of the instance.
    ///
    /// - Parameters:
    ///   - accept: accepts the waiting visitors. Only tests pass another.
    ///   - makeLink: gets the path of the recording to show, if there is one.
    init(
        _ path: FilePath, accept: @escaping Accept = { $0.acceptWaiting(as: Visitor.self) },
        makeLink: @escaping (_ recording: String?) throws -> Link
    ) throws {
        unlink(path.cString)
        listener = try ControlListener(path: path)
        (self.accept, self.makeLink) = (accept, makeLink)
    }

    var pollEntries: [pollfd] {
        let waiting = nextDeadline == nil ? [listener.descriptor] : []
        return waiting.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
            + visitors.map { pollfd(fd: $0.descriptor.rawValue, events: $0.pollEvents, revents: 0) }
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    func process(at now: Int64) {
        if now >= nextDeadline ?? .min {
            let (accepted, isExhausted) = accept(listener)
            visitors = Array((visitors + accepted).suffix(Self.mostVisitors))
            nextDeadline = isExhausted ? now + Self.acceptRest : nil
        }
        for visitor in visitors {
            guard let requests = try? visitor.readAvailable() else {
                visitor.close()
                continue
            }
            for request in requests {
                let recording: String? = if case .show(let path) = request { path } else { nil }
                guard let link = try? makeLink(recording), (try? visitor.send(link)) != nil else {
                    visitor.close()
                    break
                }
            }
        }
        visitors.removeAll(where: \.isClosed)
    }

    /// Asks the running server for a link; nil if it does not answer.
    ///
    /// - Parameter recording: the absolute path of the recording to show.
    static func ask(_ path: FilePath, showing recording: String? = nil) -> Link? {
        guard let connection = try? ControlConnection<Link, Request>(connectingTo: path),
            (try? connection.send(recording.map { .show($0) } ?? .open)) != nil
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
