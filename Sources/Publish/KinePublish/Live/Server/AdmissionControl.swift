// Carries out the actions of ConnectionAdmission for the channels of one server.
import NIOCore
import Synchronization

/// Admits connections, and ends all of them with the server.
final class AdmissionControl: Sendable {
    typealias ID = ObjectIdentifier

    private struct Member {
        let channel: any Channel
        /// Starts serving the connection; nil before it has sent anything.
        var serve: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
    }

    private struct State {
        var admission: ConnectionAdmission<ID>
        var members: [ID: Member] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>

    init(limits: ConnectionAdmission<ID>.Limits = .init()) {
        state = Mutex(State(admission: ConnectionAdmission(limits: limits)))
    }

    /// Call this first for each accepted connection.
    func arrived(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let address = Self.address(of: channel)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.members[id] = Member(channel: channel) }
            return !state.isClosed
        }
        guard isOpen else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(id) }
        change { $0.admission.opened(id, from: address) }
    }

    /// The connection has sent its first bytes. Calls `serve`, on any thread, once it may be served.
    func spoke(_ channel: any Channel, _ serve: @escaping @Sendable () -> Void) {
        let id = ObjectIdentifier(channel)
        change { state in
            state.members[id]?.serve = serve
            return state.admission.spoke(id)
        }
    }

    /// `body` serves the connection; it is cancelled when the server ends.
    func run(_ channel: any Channel, _ body: @escaping @Sendable () async -> Void) {
        let task = Task { await body() }
        let isKept = state.withLock { state in
            state.members[ObjectIdentifier(channel)]?.task = task
            return state.members[ObjectIdentifier(channel)] != nil && !state.isClosed
        }
        if !isKept { task.cancel() }
    }

    /// The connection has shown a token. Returns false if there are already as many viewers as allowed.
    func showedToken(_ channel: any Channel) -> Bool {
        var isAccepted = false
        change { state in
            let result = state.admission.showedToken(ObjectIdentifier(channel))
            isAccepted = result.isAccepted
            return result.actions
        }
        return isAccepted
    }

    /// Like `ConnectionAdmission.delayed`.
    func delayed(_ channel: any Channel) -> Bool {
        var isToBeWatched = false
        change { state in
            let result = state.admission.delayed(ObjectIdentifier(channel))
            isToBeWatched = result.isToBeWatched
            return result.actions
        }
        return isToBeWatched
    }

    func yields(_ channel: any Channel) { change { $0.admission.yields(ObjectIdentifier(channel)) } }

    func asked(_ channel: any Channel) { state.withLock { $0.admission.asked(ObjectIdentifier(channel)) } }

    /// Admits no more connections and ends all of them.
    func end() {
        let members = state.withLock { state in
            state.isClosed = true
            return Array(state.members.values)
        }
        for member in members {
            if let task = member.task { task.cancel() } else { member.channel.close(promise: nil) }
        }
    }

    /// Closes the connections that have not ended.
    func close() {
        for member in state.withLock({ Array($0.members.values) }) { member.channel.close(promise: nil) }
    }

    var isEmpty: Bool { state.withLock { $0.members.isEmpty } }

    private func closed(_ id: ID) {
        change { state in
            state.members[id] = nil
            return state.admission.closed(id)
        }
    }

    private func change(_ body: (inout State) -> [ConnectionAdmission<ID>.Action]) {
        let (served, ended) = state.withLock { state in
            var served: [@Sendable () -> Void] = []
            var ended: [any Channel] = []
            for action in body(&state) {
                switch action {
                case .serve(let id): if let serve = state.members[id]?.serve { served.append(serve) }
                case .close(let id): if let member = state.members[id] { ended.append(member.channel) }
                }
            }
            return (served, ended)
        }
        for serve in served { serve() }
        for channel in ended { channel.close(promise: nil) }
    }

    /// The peer's address; for IPv6 only its network, since a peer can have 2⁶⁴ addresses of its network.
    private static func address(of channel: any Channel) -> String {
        guard let address = channel.remoteAddress else { return "" }
        guard case .v6(let six) = address else { return address.ipAddress ?? "" }
        return withUnsafeBytes(of: six.address.sin6_addr) { bytes in
            // An IPv4-mapped address (RFC 4291, section 2.5.5.2) counts as a whole.
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return (isMapped ? bytes[...] : bytes[..<8]).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}
