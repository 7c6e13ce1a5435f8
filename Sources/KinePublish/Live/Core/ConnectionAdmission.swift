// Decides which connections are served and which wait: few of each address are served before they show a token, so that strangers
// cost little memory and keep nobody out. Pure: it is told what happens and returns actions; AdmissionControl carries them out.

/// The connections of one server. `ID` names one of them while it is open.
struct ConnectionAdmission<ID: Hashable & Sendable>: Sendable {
    struct Limits: Sendable {
        /// Connections at a time without a token: of one address, and of all. Over TLS each costs as much as a viewer, up to 45 KB,
        /// and all of them have to fit beside the largest number of viewers.
        var unauthenticatedPerAddress = 8
        var unauthenticated = 32
        /// Accepted connections at a time that are not read yet, about 4 KB each. A larger crowd waits in the kernel.
        var waiting = 128
        /// The least number of waiting connections to be served in a second while no more are accepted. Viewers in a crowd show
        /// their token in milliseconds; peers that send nothing keep their places for ten seconds.
        var leastProgress = 32
        /// Connections at a time with a token.
        var authenticated = 500

        /// Without TLS a viewer costs a third of the memory.
        static var withoutTLS: Limits { Limits(authenticated: 1500) }
    }

    enum Action: Equatable {
        /// Read the connection's requests.
        case serve(ID)
        case close(ID)
    }

    /// Whether connections are accepted.
    private enum Acceptance: Equatable {
        case open
        /// The queue is full: others wait in the kernel. `served` counts the connections of the queue served in this second.
        case paused(served: Int)
        /// The queue is full and moves too slowly: connections are accepted again, and for each one a waiting one is closed.
        case shedding
    }

    private enum Standing: Equatable {
        case waiting
        /// Served, without a token so far. `isIdle`: no response is due.
        case unauthenticated(isIdle: Bool)
        case authenticated
        /// Being closed; its place is free afterwards.
        case closing
    }

    private struct Connection {
        let address: String
        var standing: Standing
    }

    private let limits: Limits
    private var connections: [ID: Connection] = [:]
    /// Waiting connections in the order of their arrival.
    private var queue: [ID] = []
    /// Idle connections in the order in which they became idle.
    private var idle: [ID] = []
    /// Places taken by connections without a token: in all, and by address.
    private var unauthenticated = 0
    private var unauthenticatedByAddress: [String: Int] = [:]
    /// Connections that are being closed and still take such a place.
    private var placesHeldByClosing: Set<ID> = []
    private var authenticated = 0
    private var acceptance = Acceptance.open

    init(limits: Limits = Limits()) { self.limits = limits }

    /// False while new connections are to be left to the kernel.
    var acceptsMore: Bool {
        if case .paused = acceptance { false } else { true }
    }

    /// Call a second after `acceptsMore` became false, and then every second until it is true again.
    mutating func secondOfPausePassed() {
        guard case .paused(let served) = acceptance else { return }
        acceptance = served < limits.leastProgress ? .shedding : .paused(served: 0)
    }

    /// A connection was accepted. It is served now or later. When too many wait, the newest one of the address with the most
    /// waiting connections is closed.
    /// - Parameter address: the peer's; the caller decides what counts as one address.
    mutating func opened(_ id: ID, from address: String) -> [Action] {
        connections[id] = Connection(address: address, standing: .waiting)
        queue.append(id)
        var actions = advance()
        if queue.count >= limits.waiting, acceptance == .open { acceptance = .paused(served: 0) }
        guard queue.count > limits.waiting else { return actions }
        var counts: [String: Int] = [:]
        for id in queue { counts[connections[id]?.address ?? "", default: 0] += 1 }
        let most = counts.values.max() ?? 0
        if let last = queue.lastIndex(where: { counts[connections[$0]?.address ?? ""] == most }) {
            actions.append(.close(queue[last]))
            connections[queue[last]]?.standing = .closing
            queue.remove(at: last)
        }
        return actions
    }

    /// The connection has shown a token. `isAccepted` is false when there is no room for another viewer: refuse it and close.
    mutating func showedToken(_ id: ID) -> (isAccepted: Bool, actions: [Action]) {
        guard let connection = connections[id], case .unauthenticated = connection.standing else {
            return (connections[id]?.standing == .authenticated, [])
        }
        guard authenticated < limits.authenticated else { return (false, []) }
        leavePlace(of: id)
        connections[id]?.standing = .authenticated
        authenticated += 1
        return (true, advance())
    }

    /// The connection has its response and has sent no further request: it may be closed to make room for another.
    mutating func becameIdle(_ id: ID) -> [Action] {
        guard connections[id]?.standing == .unauthenticated(isIdle: false) else { return [] }
        connections[id]?.standing = .unauthenticated(isIdle: true)
        idle.append(id)
        return advance()
    }

    /// The connection has sent a request.
    mutating func becameBusy(_ id: ID) {
        guard connections[id]?.standing == .unauthenticated(isIdle: true) else { return }
        connections[id]?.standing = .unauthenticated(isIdle: false)
        idle.removeAll { $0 == id }
    }

    mutating func closed(_ id: ID) -> [Action] {
        guard let connection = connections[id] else { return [] }
        switch connection.standing {
        case .waiting: queue.removeAll { $0 == id }
        case .unauthenticated: leavePlace(of: id)
        case .authenticated: authenticated -= 1
        case .closing: if placesHeldByClosing.remove(id) != nil { release(connection.address) }
        }
        connections[id] = nil
        return advance()
    }

    private mutating func leavePlace(of id: ID) {
        guard let address = connections[id]?.address else { return }
        idle.removeAll { $0 == id }
        release(address)
    }

    private mutating func release(_ address: String) {
        unauthenticated -= 1
        let left = unauthenticatedByAddress[address, default: 1] - 1
        unauthenticatedByAddress[address] = left > 0 ? left : nil
    }

    /// Gives free places to the waiting connections in their order, and closes idle ones to make room for the others.
    private mutating func advance() -> [Action] {
        var actions: [Action] = []
        var blocked: Set<String> = []
        var next = 0
        while next < queue.count {
            let id = queue[next]
            guard let address = connections[id]?.address else {
                queue.remove(at: next)
                continue
            }
            if unauthenticated < limits.unauthenticated,
                unauthenticatedByAddress[address, default: 0] < limits.unauthenticatedPerAddress
            {
                queue.remove(at: next)
                connections[id]?.standing = .unauthenticated(isIdle: false)
                unauthenticated += 1
                unauthenticatedByAddress[address, default: 0] += 1
                actions.append(.serve(id))
                if case .paused(let served) = acceptance { acceptance = .paused(served: served + 1) }
                continue
            }
            if blocked.insert(address).inserted, let given = idleToClose(for: address) {
                connections[given]?.standing = .closing
                placesHeldByClosing.insert(given)
                idle.removeAll { $0 == given }
                actions.append(.close(given))
            }
            next += 1
        }
        // Only at half, so that accepting does not start and stop all the time.
        if queue.count <= limits.waiting / 2 { acceptance = .open }
        return actions
    }

    /// The longest idle connection whose place a connection from `address` could take; nil if there is none, or if one is being
    /// closed already.
    private func idleToClose(for address: String) -> ID? {
        let isAddressFull = unauthenticatedByAddress[address, default: 0] >= limits.unauthenticatedPerAddress
        let isClosing = placesHeldByClosing.contains { !isAddressFull || connections[$0]?.address == address }
        guard !isClosing else { return nil }
        return idle.first { !isAddressFull || connections[$0]?.address == address }
    }
}
