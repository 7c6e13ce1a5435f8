// The socket by which a second `kinecast studio`, or an app, opens a window on the running server.
import CLinux
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// The running server's end. Used on one thread.
final class StudioDoor: PollSource {
    typealias Visitor = ControlConnection<StudioMessage, StudioReply>
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
    private let studio: Studio
    private let makeLink: (StudioScope) throws -> StudioLink
    private var visitors: [Visitor] = []

    /// Replaces the socket of a server that was killed: the caller has the lock of the instance.
    ///
    /// - Parameters:
    ///   - studio: its sheets get the connections of apps.
    ///   - accept: accepts the waiting visitors. Only tests pass another.
    ///   - makeLink: makes a link for a window.
    init(
        _ path: FilePath, _ studio: Studio, accept: @escaping Accept = { $0.acceptWaiting(as: Visitor.self) },
        makeLink: @escaping (StudioScope) throws -> StudioLink
    ) throws {
        unlink(path.cString)
        listener = try ControlListener(path: path)
        (self.accept, self.studio, self.makeLink) = (accept, studio, makeLink)
    }

    var pollEntries: [pollfd] {
        let waiting = nextDeadline == nil ? ReadableDescriptor(listener.descriptor.rawValue).pollEntries : []
        return waiting + visitors.flatMap(\.pollEntries)
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    func process(at now: Int64) {
        if now >= nextDeadline ?? .min {
            let (accepted, isExhausted) = accept(listener)
            visitors = Array((visitors + accepted).suffix(Self.mostVisitors))
            nextDeadline = isExhausted ? now + Self.acceptRest : nil
        }
        visitors.removeAll { visitor in
            let messages = (try? visitor.readAvailable()) ?? []
            if let index = messages.firstIndex(where: \.beginsSheet), case .present(let app) = messages[index] {
                return begin(app, visitor, then: messages[(index + 1)...], at: now)
            }
            for case .open(let recording, let opensBrowser) in messages {
                let scope = studio.scope(showing: recording, forPerson: opensBrowser && Self.isOwn(visitor))
                guard let link = try? makeLink(scope), (try? visitor.send(.link(link))) != nil else { return true }
            }
            return visitor.isClosed
        }
    }

    /// Whether the visitor runs this very executable: others can ask for no link that answers apps' questions.
    private static func isOwn(_ visitor: Visitor) -> Bool {
        let pid = kine_peer_pid(visitor.descriptor.rawValue)
        guard pid > 0, let own = FileIdentity("/proc/self/exe") else { return false }
        return own == FileIdentity("/proc/\(pid)/exe")
    }

    /// Gives the connection to the sheets. Returns whether they have it, or it is of no use.
    private func begin(
        _ app: SheetApp, _ visitor: Visitor, then messages: ArraySlice<StudioMessage>, at now: Int64
    ) -> Bool {
        let id = RandomToken().description
        guard studio.sheets.begin(id, app, .app(visitor), at: now) else {
            let sentence = "Too many apps have windows open at once; close one of them and try again."
            return (try? visitor.send(.refused(sentence))) == nil
        }
        // Without a link, no window opens, and the app's deadline passes.
        if let link = try? makeLink(.sheet(id)) { _ = try? visitor.send(.link(link)) }
        for message in messages { studio.sheets.receive(message, of: id, at: now) }
        return true
    }

    /// Asks the running server for a link; nil if it does not answer.
    ///
    /// - Parameters:
    ///   - recording: the absolute path of the recording to show.
    ///   - opensBrowser: whether the file of the link is for a browser, and nothing is printed.
    static func ask(_ path: FilePath, showing recording: String? = nil, opensBrowser: Bool = false) -> StudioLink? {
        guard let connection = try? ControlConnection<StudioReply, StudioMessage>(connectingTo: path),
            (try? connection.send(.open(recording: recording, opensBrowser: opensBrowser))) != nil
        else { return nil }
        let deadline = MonotonicClock.now() + timeout
        while MonotonicClock.now() < deadline, !connection.isClosed {
            if case .link(let link)? = try? connection.readAvailable().first { return link }
            PollLoop.wait(for: connection, until: deadline)
        }
        return nil
    }
}

extension StudioMessage {
    fileprivate var beginsSheet: Bool { if case .present = self { true } else { false } }
}
