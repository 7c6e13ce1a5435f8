// Decides which connections are served and which wait. Few of each address are served before they show a token: unknown
// clients cost little memory and block no viewer. Pure: AdmissionControl reports events and carries out actions.

/// The connections of one server. `ID` identifies one of them while it is open.
struct ConnectionAdmission<ID: Hashable & Sendable>: Sendable {
    struct Limits: Sendable {
        /// Connections without a token at a time: of one address, and of all. Over TLS each costs as much as a viewer,
        /// up to 45 KB, and all of them have to fit in addition to the most viewers.
        var unauthenticatedPerAddress = 8
        var unauthenticated = 32
        /// Unserved connections at a time, about 4 KB each: silent and waiting ones. As many viewers as allowed can
        /// connect at once.
        var unserved = 512
        /// Connections at a time with a token.
        var authenticated = 500

        /// Without TLS a viewer costs a third of the memory.
        static var withoutTLS: Limits { Limits(unserved: 1536, authenticated: 1500) }
    }

    enum Action: Equatable {
        /// Read the connection's requests.
        case serve(ID)
        case close(ID)
    }

    private enum Standing: Equatable {
        /// The peer has sent nothing, and takes no place.
        case silent
        /// Has sent something, and waits for a place.
        case waiting
        /// Served, without a token so far. `yields`: its place may be given to a waiting connection.
        case unauthenticated(yields: Bool)
        case authenticated
        /// Being closed; its place is free afterwards.
        case closing
    }

    private struct Connection {
        let address: String
        var standing: Standing
        /// `tokensShown` of its address at the last check.
        var tokensSeen = 0
    }

    private let limits: Limits
    private var connections: [ID: Connection] = [:]
    /// Silent connections in the order of their arrival.
    private var silent: [ID] = []
    /// Waiting connections in the order in which they first sent something.
    private var waiting: [ID] = []
    /// Connections whose places may be taken, in the order in which they came to yield.
    private var yielding: [ID] = []
    /// The number of connections that have a place without a token.
    private var unauthenticated = 0
    private var unauthenticatedByAddress: [String: Int] = [:]
    /// Connections that have shown a token while others of their address had no token, by address.
    private var tokensShown: [String: Int] = [:]
    /// Connections that are being closed and still take a place without a token.
    private var placesHeldByClosing: Set<ID> = []
    private var authenticated = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    /// A connection was accepted. If too many are not served, the one that has been silent longest is closed.
    /// - Parameter address: the peer's; the caller decides which peers count as one address.
    mutating func opened(_ id: ID, from address: String) -> [Action] {
        let oldest = silent.first ?? waiting.first
        connections[id] = Connection(address: address, standing: .silent)
        silent.append(id)
        guard silent.count + waiting.count > limits.unserved, let oldest else { return [] }
        forget(oldest)
        connections[oldest]?.standing = .closing
        return [.close(oldest)]
    }

    /// The connection has sent its first bytes. It is served now or later.
    mutating func spoke(_ id: ID) -> [Action] {
        guard connections[id]?.standing == .silent else { return [] }
        forget(id)
        connections[id]?.standing = .waiting
        waiting.append(id)
        return advance()
    }

    /// The connection has shown a token. If `isAccepted` is false, there are too many viewers: refuse and close it.
    mutating func showedToken(_ id: ID) -> (isAccepted: Bool, actions: [Action]) {
        guard let connection = connections[id], case .unauthenticated = connection.standing else {
            return (connections[id]?.standing == .authenticated, [])
        }
        guard authenticated < limits.authenticated else { return (false, []) }
        leavePlace(of: id)
        if unauthenticatedByAddress[connection.address] != nil { tokensShown[connection.address, default: 0] += 1 }
        connections[id]?.standing = .authenticated
        authenticated += 1
        return (true, advance())
    }

    /// The connection has had its place for a while without sending a complete request. It yields if its address has
    /// made no progress either: viewers of one address delay each other. `isToBeWatched`: call again after that time.
    mutating func delayed(_ id: ID) -> (isToBeWatched: Bool, actions: [Action]) {
        guard let connection = connections[id], connection.standing == .unauthenticated(yields: false) else {
            return (false, [])
        }
        let shown = tokensShown[connection.address, default: 0]
        guard shown != connection.tokensSeen else { return (false, yields(id)) }
        connections[id]?.tokensSeen = shown
        return (true, [])
    }

    /// The connection has its response and has sent no further request: it may be closed for another one.
    mutating func yields(_ id: ID) -> [Action] {
        guard connections[id]?.standing == .unauthenticated(yields: false) else { return [] }
        connections[id]?.standing = .unauthenticated(yields: true)
        yielding.append(id)
        return advance()
    }

    /// The connection has sent a request.
    mutating func asked(_ id: ID) {
        guard connections[id]?.standing == .unauthenticated(yields: true) else { return }
        connections[id]?.standing = .unauthenticated(yields: false)
        yielding.removeAll { $0 == id }
    }

    mutating func closed(_ id: ID) -> [Action] {
        guard let connection = connections[id] else { return [] }
        switch connection.standing {
        case .silent, .waiting: forget(id)
        case .unauthenticated: leavePlace(of: id)
        case .authenticated: authenticated -= 1
        case .closing: if placesHeldByClosing.remove(id) != nil { release(connection.address) }
        }
        connections[id] = nil
        return advance()
    }

    private mutating func forget(_ id: ID) {
        silent.removeAll { $0 == id }
        waiting.removeAll { $0 == id }
    }

    private mutating func leavePlace(of id: ID) {
        guard let address = connections[id]?.address else { return }
        yielding.removeAll { $0 == id }
        release(address)
    }

    private mutating func release(_ address: String) {
        unauthenticated -= 1
        let left = unauthenticatedByAddress[address, default: 1] - 1
        unauthenticatedByAddress[address] = left > 0 ? left : nil
        if left <= 0 { tokensShown[address] = nil }
    }

    /// Gives free places to waiting connections, and closes yielding ones for the others. The newest comes first:
    /// otherwise peers that send half a request would delay it, and many viewers each get their turn within moments.
    private mutating func advance() -> [Action] {
        var actions: [Action] = []
        var blocked: Set<String> = []
        for id in waiting.reversed() {
            guard let address = connections[id]?.address else { continue }
            if unauthenticated < limits.unauthenticated,
                unauthenticatedByAddress[address, default: 0] < limits.unauthenticatedPerAddress
            {
                forget(id)
                connections[id]?.standing = .unauthenticated(yields: false)
                connections[id]?.tokensSeen = tokensShown[address, default: 0]
                unauthenticated += 1
                unauthenticatedByAddress[address, default: 0] += 1
                actions.append(.serve(id))
            } else if blocked.insert(address).inserted, let given = placeToTake(for: address) {
                connections[given]?.standing = .closing
                placesHeldByClosing.insert(given)
                yielding.removeAll { $0 == given }
                actions.append(.close(given))
            }
        }
        return actions
    }

    /// The connection that has yielded longest and whose place one from `address` could take; nil if there is none, or
    /// if such a one is already being closed.
    private func placeToTake(for address: String) -> ID? {
        let isAddressFull = unauthenticatedByAddress[address, default: 0] >= limits.unauthenticatedPerAddress
        let fits = { (id: ID) in !isAddressFull || connections[id]?.address == address }
        return placesHeldByClosing.contains(where: fits) ? nil : yielding.first(where: fits)
    }
}

/// The requests and the responses that have ended on one connection.
///
/// Knows whether a connection waits for a request or for a response: requests may arrive before the responses to
/// earlier ones, and a response may be complete before its request is (RFC 9112, section 9.3).
struct RequestBalance {
    /// Below zero while a request is incomplete and its response is complete.
    private var unanswered = 0

    /// Whether a response is due. Otherwise the connection waits for the end of the next request.
    var owesResponse: Bool { unanswered > 0 }
    /// Whether every request so far has ended and has its response.
    var isEven: Bool { unanswered == 0 }

    mutating func requestEnded() { unanswered += 1 }
    mutating func responseEnded() { unanswered -= 1 }
}
