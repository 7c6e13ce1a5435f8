// Which connections are served, and which wait: those that have shown no token are few for each address, so that strangers
// cost little memory and keep nobody out. Pure: it is told what happens and says what to do; AdmissionControl does it.

/// The connections of one server. `ID` names one of them while it is open.
struct ConnectionAdmission<ID: Hashable & Sendable>: Sendable {
    struct Limits: Sendable {
        /// Connections at a time that have shown no token: of one address, and of all. Over TLS each costs as much as a viewer,
        /// up to 45 KB, and all of them together have to fit beside as many viewers as may watch.
        var unprovenPerAddress = 8
        var unproven = 32
        /// Connections at a time that were accepted and that nothing has been read of, about 4 KB each. A crowd that is larger
        /// waits in the kernel.
        var waiting = 128
        /// How many waiting connections have to be served in a second while no more are accepted. Viewers in a crowd prove
        /// themselves in milliseconds; peers that say nothing keep their places for ten seconds.
        var leastProgress = 32
        /// Connections at a time that have shown a token.
        var proven = 500
    }

    enum Action: Equatable {
        /// Read what it asks.
        case serve(ID)
        case close(ID)
    }

    /// Whether connections are accepted.
    private enum Door: Equatable {
        case open
        /// As many wait as may: the others wait in the kernel. `served`: how many were, in this second.
        case paused(served: Int)
        /// As many wait as may, and too few of them are served to wait for it: each that is accepted costs another.
        case shedding
    }

    private enum Standing: Equatable {
        case waiting
        /// Served, and has shown no token. `isIdle`: nothing is owed to it.
        case unproven(isIdle: Bool)
        case proven
        /// To be closed; its place is free once it is.
        case closing
    }

    private struct Connection {
        let address: String
        var standing: Standing
    }

    private let limits: Limits
    private var connections: [ID: Connection] = [:]
    /// In the order they came.
    private var queue: [ID] = []
    /// In the order they became idle.
    private var idle: [ID] = []
    /// Those that take a place of the unproven, in all and by their address.
    private var unproven = 0
    private var unprovenByAddress: [String: Int] = [:]
    private var proven = 0
    private var door = Door.open

    init(limits: Limits = Limits()) { self.limits = limits }

    /// False while new connections are to be left to the kernel.
    var acceptsMore: Bool {
        if case .paused = door { false } else { true }
    }

    /// To be called a second after `acceptsMore` became false, and then every second until it is true again.
    mutating func secondOfPausePassed() {
        guard case .paused(let served) = door else { return }
        door = served < limits.leastProgress ? .shedding : .paused(served: 0)
    }

    /// A connection was accepted. It is served at once or later, or closed where more wait than may: then the newest of the
    /// address that has most of them goes.
    /// - Parameter address: of the other side; what counts as one address is the caller's to say.
    mutating func opened(_ id: ID, from address: String) -> [Action] {
        connections[id] = Connection(address: address, standing: .waiting)
        queue.append(id)
        var actions = advance()
        if queue.count >= limits.waiting, door == .open { door = .paused(served: 0) }
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

    /// It has shown a token. `isTaken` is false where as many as may have already: it is to be told so, and closed.
    mutating func proved(_ id: ID) -> (isTaken: Bool, actions: [Action]) {
        guard let connection = connections[id], case .unproven = connection.standing else {
            return (connections[id]?.standing == .proven, [])
        }
        guard proven < limits.proven else { return (false, []) }
        leavePlace(of: id)
        connections[id]?.standing = .proven
        proven += 1
        return (true, advance())
    }

    /// It has its response and owes no request: it may be closed for another of its address.
    mutating func becameIdle(_ id: ID) -> [Action] {
        guard connections[id]?.standing == .unproven(isIdle: false) else { return [] }
        connections[id]?.standing = .unproven(isIdle: true)
        idle.append(id)
        return advance()
    }

    /// It asks for something.
    mutating func becameBusy(_ id: ID) {
        guard connections[id]?.standing == .unproven(isIdle: true) else { return }
        connections[id]?.standing = .unproven(isIdle: false)
        idle.removeAll { $0 == id }
    }

    mutating func closed(_ id: ID) -> [Action] {
        guard let connection = connections[id] else { return [] }
        switch connection.standing {
        case .waiting: queue.removeAll { $0 == id }
        case .unproven: leavePlace(of: id)
        case .proven: proven -= 1
        case .closing: if placesHeldByClosing.remove(id) != nil { release(connection.address) }
        }
        connections[id] = nil
        return advance()
    }

    /// Those that are closing and still take a place of the unproven.
    private var placesHeldByClosing: Set<ID> = []

    private mutating func leavePlace(of id: ID) {
        guard let address = connections[id]?.address else { return }
        idle.removeAll { $0 == id }
        release(address)
    }

    private mutating func release(_ address: String) {
        unproven -= 1
        let left = unprovenByAddress[address, default: 1] - 1
        unprovenByAddress[address] = left > 0 ? left : nil
    }

    /// Gives free places to the waiting connections, in their order, and makes room for those that find none.
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
            if unproven < limits.unproven, unprovenByAddress[address, default: 0] < limits.unprovenPerAddress {
                queue.remove(at: next)
                connections[id]?.standing = .unproven(isIdle: false)
                unproven += 1
                unprovenByAddress[address, default: 0] += 1
                actions.append(.serve(id))
                if case .paused(let served) = door { door = .paused(served: served + 1) }
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
        // Only at half: accepting starts and stops less often.
        if queue.count <= limits.waiting / 2 { door = .open }
        return actions
    }

    /// The connection that has been idle longest and whose place would help one of that address; nil where one is closing
    /// already, or none would.
    private func idleToClose(for address: String) -> ID? {
        let isAddressFull = unprovenByAddress[address, default: 0] >= limits.unprovenPerAddress
        let isClosing = placesHeldByClosing.contains { !isAddressFull || connections[$0]?.address == address }
        guard !isClosing else { return nil }
        return idle.first { !isAddressFull || connections[$0]?.address == address }
    }
}
