// Carries out what ConnectionAdmission decides, for the channels of one server. A connection that waits is accepted but not
// registered with its event loop, so nothing is read from it and it needs no buffers.
import NIOCore
import Synchronization

/// Lets connections in, and ends all of them with the server.
final class AdmissionControl: Sendable {
    typealias ID = ObjectIdentifier

    private struct Member {
        let channel: any Channel
        /// Succeeds when the connection may be served.
        let admission: EventLoopFuture<Void>
        /// Nil once the admission is decided.
        var admitted: EventLoopPromise<Void>?
        var task: Task<Void, Never>?
    }

    private struct State {
        var admission: ConnectionAdmission<ID>
        var members: [ID: Member] = [:]
        var isClosed = false
        var queueChanged: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(limits: ConnectionAdmission<ID>.Limits = .init()) {
        state = Mutex(State(admission: ConnectionAdmission(limits: limits)))
    }

    /// Call first for each connection that was accepted; `admit` says when it may be served.
    func arrived(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let admitted = channel.eventLoop.makePromise(of: Void.self)
        let address = Self.address(of: channel)
        let isOpen = state.withLock { state in
            if !state.isClosed {
                state.members[id] = Member(channel: channel, admission: admitted.futureResult, admitted: admitted)
            }
            return !state.isClosed
        }
        guard isOpen else { return admitted.fail(ChannelError.ioOnClosedChannel) }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(id) }
        change { $0.admission.opened(id, from: address) }
    }

    /// Succeeds once the connection may be served; fails where it is to be closed.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        state.withLock { $0.members[ObjectIdentifier(channel)]?.admission }
            ?? channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }

    /// False while new connections are to be left to the kernel.
    var acceptsMore: Bool { state.withLock { $0.admission.acceptsMore } }

    /// `body` is called, from any thread, whenever `acceptsMore` has changed.
    func onQueueChange(_ body: (@Sendable () -> Void)?) { state.withLock { $0.queueChanged = body } }

    /// Call as `ConnectionAdmission.secondOfPausePassed` says.
    func secondOfPausePassed() {
        change { state in
            state.admission.secondOfPausePassed()
            return []
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

    /// The connection has shown a token. Returns false where there are as many viewers as there may be.
    func showedToken(_ channel: any Channel) -> Bool {
        var isAccepted = false
        change { state in
            let result = state.admission.showedToken(ObjectIdentifier(channel))
            isAccepted = result.isAccepted
            return result.actions
        }
        return isAccepted
    }

    func becameIdle(_ channel: any Channel) { change { $0.admission.becameIdle(ObjectIdentifier(channel)) } }

    func becameBusy(_ channel: any Channel) {
        state.withLock { $0.admission.becameBusy(ObjectIdentifier(channel)) }
    }

    /// Admits no more connections and tells all of them to end.
    func end() {
        let members = state.withLock { state in
            state.isClosed = true
            return Array(state.members.values)
        }
        for member in members {
            member.task?.cancel()
            member.admitted?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    /// Closes the connections that have not ended.
    func close() {
        for member in state.withLock({ Array($0.members.values) }) { member.channel.close(promise: nil) }
    }

    var isEmpty: Bool { state.withLock { $0.members.isEmpty } }

    private func closed(_ id: ID) {
        change { state in
            // The connection may have been closed while it waited.
            state.members[id]?.admitted?.fail(ChannelError.ioOnClosedChannel)
            state.members[id] = nil
            return state.admission.closed(id)
        }
    }

    private func change(_ body: (inout State) -> [ConnectionAdmission<ID>.Action]) {
        let (served, ended, queueChanged) = state.withLock { state in
            var served: [EventLoopPromise<Void>] = []
            var ended: [Member] = []
            let accepted = state.admission.acceptsMore
            for action in body(&state) {
                switch action {
                case .serve(let id):
                    if let promise = state.members[id]?.admitted { served.append(promise) }
                    state.members[id]?.admitted = nil
                case .close(let id):
                    if let member = state.members[id] { ended.append(member) }
                    state.members[id]?.admitted = nil
                }
            }
            return (served, ended, state.admission.acceptsMore == accepted ? nil : state.queueChanged)
        }
        queueChanged?()
        for promise in served { promise.succeed(()) }
        for member in ended {
            if let admitted = member.admitted {
                admitted.fail(ChannelError.ioOnClosedChannel)
            } else {
                member.channel.close(promise: nil)
            }
        }
    }

    /// The peer's address; for IPv6 only its network, since a peer that has one address of a network has 2⁶⁴.
    private static func address(of channel: any Channel) -> String {
        guard let address = channel.remoteAddress else { return "" }
        guard case .v6(let six) = address else { return address.ipAddress ?? "" }
        return withUnsafeBytes(of: six.address.sin6_addr) { bytes in
            // An IPv4-mapped address (RFC 4291, section 2.5.5.2) is one address.
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return (isMapped ? bytes[...] : bytes[..<8]).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}
