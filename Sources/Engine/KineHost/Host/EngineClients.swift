// The clients of one engine: the owner, which started it, and guests, which connected later as the same user.
import CLinux
import Glibc
import KinePlatform
import KineWire
import SystemPackage

/// Used by the main thread.
final class EngineClients: PollSource {
    private struct Guest {
        let connection: EngineConnection
        /// The program at the time of its connection.
        let program: AskingProgram
        let process: Int32
        /// The deadline of its hello.
        let greetingDeadline: Int64
        var interest = Interest.common
        var showsQuestions = false
    }

    /// The messages that a guest receives; each case includes those before it.
    private enum Interest: Comparable {
        /// Answers, and messages for all clients.
        case common
        /// The start of the take.
        case start
        case progress
    }

    let owner: EngineConnection
    /// The owner's program, found before its hello was answered: from then on it may hide its executable.
    let ownerProgram: AskingProgram
    private(set) var ownerIsThere = true
    /// The socket to which guests connect, once the take is registered.
    var listener: ControlListener?
    private var guests: [Guest] = []
    /// The reason to withhold the links of the take's destinations from a program, if any.
    var linkRefusal: (AskingProgram) -> String? = { _ in EngineError.unknownProgram.message }
    /// When guests are accepted again, after descriptors ran out; nil: they are accepted.
    private var nextAccept: Int64?
    var levels = ClientLevels()
    /// Whether the owner gets progress.
    var ownerWantsProgress = false
    private var nextProgress: Int64?
    /// Nanoseconds from one progress to the next.
    private static let progressInterval: Int64 = 1_000_000_000
    /// Nanoseconds before guests are accepted again, and for a guest to send its hello.
    private static let acceptRest: Int64 = 250_000_000
    private static let greetingTimeout: Int64 = 5_000_000_000
    /// The most guests, so that descriptors are left for the take.
    static let mostOfProcess = 32
    static let mostInAll = 128

    init(owner: FileDescriptor) throws(ControlError) {
        ownerProgram = AskingProgram(at: owner)
        self.owner = try EngineConnection(adopting: owner)
    }

    var pollEntries: [pollfd] {
        let waiting = nextAccept == nil ? listener.map { ReadableDescriptor($0.descriptor.rawValue) } : nil
        return ((ownerIsThere ? [owner] : []) + guests.map(\.connection)).flatMap(\.pollEntries)
            + (waiting?.pollEntries ?? [])
    }

    func accept(at now: Int64) {
        guard let listener, now >= nextAccept ?? .min else { return }
        let (accepted, isExhausted) = listener.acceptWaiting(as: EngineConnection.self)
        for connection in accepted { admit(connection, at: now) }
        // Waiting connections stay in the kernel's queue.
        nextAccept = isExhausted ? now + Self.acceptRest : nil
    }

    private func admit(_ connection: EngineConnection, at now: Int64) {
        let process = kine_peer_pid(connection.descriptor.rawValue)
        guard guests.count(where: { $0.process == process }) < Self.mostOfProcess else { return dismiss(connection) }
        guests.append(
            Guest(
                connection: connection, program: AskingProgram(at: connection.descriptor), process: process,
                greetingDeadline: now + Self.greetingTimeout))
        let excess = Self.excess(guests.map { ($0.process, $0.program == .commandLine) })
        if let excess { dismiss(guests[excess].connection) }
    }

    /// The guest to remove if there are too many: the newest of the process that has the most. A person's own kinecast
    /// goes only if no other program is connected. Nil: there are not too many.
    static func excess(_ guests: [(process: Int32, isCommandLine: Bool)]) -> Int? {
        guard guests.count > mostInAll else { return nil }
        let counts = Dictionary(guests.map { ($0.process, 1) }, uniquingKeysWith: +)
        let others = guests.indices.filter { !guests[$0].isCommandLine }
        let candidates = others.isEmpty ? Array(guests.indices) : others
        let largest = candidates.map { counts[guests[$0].process] }.compactMap(\.self).max()
        return candidates.last { counts[guests[$0].process] == largest }
    }

    private func dismiss(_ connection: EngineConnection) {
        let reason =
            "A take has at most \(Self.mostOfProcess) connections with one process and \(Self.mostInAll) in all; close "
            + "some of them."
        connection.tell(.dismissed(Refusal(.unavailable, reason)))
        remove(connection)
    }

    /// The latest instant for `accept`, `dismissSilent` and `isProgressDue`.
    var nextDeadline: Int64? {
        let greetings = guests.lazy.filter { $0.connection.peerHello == nil }.map(\.greetingDeadline)
        return [nextAccept, greetings.min(), nextProgress].compactMap(\.self).min()
    }

    /// Removes guests without a hello after their deadline. Call it after reading.
    func dismissSilent(at now: Int64) {
        for guest in guests where now >= guest.greetingDeadline && guest.connection.peerHello == nil {
            remove(guest.connection)
        }
    }

    private func remove(_ connection: EngineConnection) {
        connection.close()
        guests.removeAll { $0.connection === connection }
    }

    /// Sends the owner's events to the guest too. Returns whether it did not get them before.
    func follow(_ client: EngineConnection, progress: Bool) -> Bool {
        guard let index = guests.firstIndex(where: { $0.connection === client }) else { return true }
        defer { guests[index].interest = progress ? .progress : .start }
        return guests[index].interest == .common
    }

    private var isProgressWanted: Bool {
        ownerIsThere && ownerWantsProgress || guests.contains { $0.interest == .progress }
    }

    /// Begins progress if a client wants it. Call it when the take has begun, and when a client follows it.
    func scheduleProgress(at now: Int64) {
        if nextProgress == nil, isProgressWanted { nextProgress = now + Self.progressInterval }
    }

    /// True once in each interval.
    func isProgressDue(at now: Int64) -> Bool {
        guard let due = nextProgress, now >= due else { return false }
        nextProgress = isProgressWanted ? now + Self.progressInterval : nil
        return true
    }

    func endProgress() { nextProgress = nil }

    /// Whether a guest has windows in which the person can answer questions.
    var areQuestionsShown: Bool { guests.contains(where: \.showsQuestions) }

    /// Sends the guest the open question, and each later one, or no more.
    func setShowsQuestions(_ isOn: Bool, _ client: EngineConnection, open question: PermissionInquiry?) {
        guard let index = guests.firstIndex(where: { $0.connection === client }) else { return }
        guests[index].showsQuestions = isOn
        client.tell(.permissionAsked(isOn ? question : nil))
    }

    func tellQuestion(_ question: PermissionInquiry?) {
        tell(.event(.permissionAsked(question)), to: guests.filter(\.showsQuestions))
    }

    /// Passes on the received requests; nil: unknown to this version. Returns false once, when the owner has gone.
    func receive(_ handle: (ClientRequest?, Asker) -> Void) -> Bool {
        let ownerWasThere = ownerIsThere
        if ownerIsThere { ownerIsThere = receive(from: owner, handle) }
        // Removes no guest while requests are handled: an event may go to all of them.
        let gone = guests.map(\.connection).filter { !receive(from: $0, handle) }
        if !gone.isEmpty { guests.removeAll { guest in gone.contains { $0 === guest.connection } } }
        return ownerIsThere == ownerWasThere
    }

    private func receive(from client: EngineConnection, _ handle: (ClientRequest?, Asker) -> Void) -> Bool {
        do throws(ControlError) {
            for message in try client.readAvailable() {
                handle(message.request, Asker(client: client, id: message.id, clients: self))
            }
            _ = try client.flush()
            return !client.isClosed
        } catch {
            return false
        }
    }

    func contains(_ client: EngineConnection) -> Bool {
        client === owner ? ownerIsThere : guests.contains { $0.connection === client }
    }

    /// The program of a guest; nil: the owner. A guest that has gone is `unknown`.
    func program(of client: EngineConnection) -> AskingProgram? {
        client === owner ? nil : guests.first { $0.connection === client }?.program ?? .unknown
    }

    func tellAll(_ event: EngineEvent) {
        tellOwner(event)
        tell(.event(event), to: guests)
    }

    func tellStarted(_ take: TakeStarted) {
        tellOwner(.started(take))
        tell(.event(.started(take)), to: guests.filter { $0.interest >= .start })
    }

    /// Skips clients that have not read the messages before; they get the next progress.
    func tell(_ progress: TakeProgress) {
        if ownerWantsProgress, !owner.isPeerBehind { tellOwner(.progress(progress)) }
        tell(
            .event(.progress(progress)),
            to: guests.filter { $0.interest == .progress && !$0.connection.isPeerBehind })
    }

    func tellOwner(_ event: EngineEvent) { if ownerIsThere { owner.tell(event) } }

    func tell(_ message: EngineMessage, to client: EngineConnection) {
        if client === owner {
            if ownerIsThere { owner.tell(message) }
        } else {
            tell(message, to: guests.filter { $0.connection === client })
        }
    }

    /// Sends each guest the message, without the links if it may not have them.
    private func tell(_ message: EngineMessage, to guests: [Guest]) {
        let hasLinks = message.withoutLinks("") != message
        for guest in guests {
            let reason = hasLinks ? linkRefusal(guest.program) : nil
            guard let part = reason.map(message.withoutLinks) ?? message else { continue }
            guest.connection.tell(part)
        }
    }
}

/// A client's request, to be answered once, at any time.
struct Asker {
    let client: EngineConnection
    fileprivate let id: Int
    fileprivate let clients: EngineClients

    func reply(_ reply: EngineReply = .done) { answer(.success(reply)) }

    func refuse(_ error: EngineError) { answer(.failure(error.refusal)) }

    func refuse(_ code: Refusal.Code, _ message: String) { answer(.failure(Refusal(code, message))) }

    func answer(_ result: Result<EngineReply, Refusal>) { clients.tell(.answer(id: id, result), to: client) }
}

extension ControlConnection<ClientMessage, EngineMessage> {
    func tell(_ event: EngineEvent, descriptors: [FileDescriptor] = []) {
        tell(.event(event), descriptors: descriptors)
    }

    /// Sends a message to a client. If that fails, sends the reason instead: a client may wait for an answer, and
    /// always waits for the end of its take.
    func tell(_ message: EngineMessage, descriptors: [FileDescriptor] = []) {
        guard let reason = deliver(message, descriptors: descriptors) else { return }
        _ = deliver(message.replacement(reason))
    }
}

extension EngineMessage {
    /// The replacement of a message that cannot be sent.
    fileprivate func replacement(_ reason: String) -> EngineMessage {
        switch self {
        case .answer(let id, _): return .answer(id: id, .failure(Refusal(.unavailable, reason)))
        case .event(.finished(var summary)):
            summary.destinations = []
            return .event(
                .failed(TakeFailure(exitStatus: ExitStatus.engineDied, message: reason, summary: summary)))
        case .event(.failed(var failure)):
            failure.summary?.destinations = []
            return .event(.failed(failure))
        case .event: return .event(.warning(reason))
        }
    }
}
