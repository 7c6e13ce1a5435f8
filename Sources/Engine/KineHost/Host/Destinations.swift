// All destinations of a take. The first ones are checked before the take starts, others when a client adds them. The
// host's loop polls them together.
import Glibc
import KineMedia
import KinePlatform
import KineServices
import KineSupervision
import KineTake
import KineText
import KineWire

/// The extensions of one take. Used by the main thread.
final class Destinations: PollSource {
    /// A destination whose service is installed and accepts the user's settings.
    struct Checked {
        let destination: TakeConfiguration.Destination
        /// Its manifest has only the groups whose apps admit the service.
        let service: Service
        let setupInfo: [String: String]
        /// About the refused groups, if any.
        let warning: String?
    }

    /// The most destinations that run or are remembered: each is a process, and all statuses go into one message.
    static let most = 64

    private let take: Take
    private let supervision: SupervisionLimits
    private let confinement: ConfinementRequest
    private let inbox: Inbox
    private let desktop: DesktopServices?
    private let tell: (DestinationEvent) -> Void
    /// Made for the first destination: without one, this process need not adopt others.
    private lazy var context = ExtensionSupervisor.Context(
        take: take, orphans: Orphans(), environment: ProcessEnvironment.current, confinement: confinement,
        deliver: { [inbox] in inbox.post(.feed($0)) }, observer: self)
    private let frameReceivers: FrameReceivers
    /// In the order of their numbers. Ended ones stay, for the summary.
    private var supervisors: [ExtensionSupervisor] = []
    /// The programs that added destinations, by the destinations' numbers. The take's owner is not among them.
    private var adders: [Int: AskingProgram] = [:]
    private var lastNumber = -1
    /// The last annotation of a client.
    private var annotation: [String: String]?
    private var isScreenLocked: Bool
    private var requests = DestinationRequests()

    /// Finds the services and checks the settings. Throws the problem of the first invalid destination.
    static func check(
        _ destinations: [TakeConfiguration.Destination], confinement: ConfinementRequest, in catalog: ServiceCatalog
    ) throws(EngineError) -> [Checked] {
        guard !destinations.isEmpty else { return [] }
        let missing = Set(Sandbox.Layer.allCases).subtracting(confinement.layers)
        guard !confinement.isRequired || missing.isEmpty else { throw .unconfined(missing) }
        let services = catalog.list().services
        return try destinations.map { destination throws(EngineError) in
            guard let service = services.first(where: { $0.id == destination.service }) else {
                throw .unknownService(destination.service, installed: services.map(\.id))
            }
            guard access(service.executable.cString, X_OK) == 0 else { throw .missingExecutable(service) }
            do throws(Service.SetupProblem) {
                let (service, warning) = Self.admitted(service)
                return Checked(
                    destination: destination, service: service,
                    setupInfo: try service.setupInfo(from: destination.setupInfo), warning: warning)
            } catch {
                throw .setup(error)
            }
        }
    }

    /// The service with its admitted groups, and a warning about the refused ones.
    private static func admitted(_ service: Service) -> (Service, warning: String?) {
        var (service, refused) = (service, [String]())
        guard !service.manifest.groups.isEmpty else { return (service, nil) }
        var reason =
            "no app that shares it names \(service.id) in its \(AppIdentity.fileName); add it there and start the app."
        for group in service.manifest.groups {
            do throws(GroupStore.Error) {
                if try !GroupStore.standard().admits(service.id, to: group) { refused.append(group) }
            } catch {
                refused.append(group)
                reason = error.description
            }
        }
        service.manifest.groups.removeAll(where: refused.contains)
        guard !refused.isEmpty else { return (service, nil) }
        let groups = "the group\(refused.count > 1 ? "s" : "") \(refused.joined(separator: " and "))"
        return (service, "\(service.manifest.name) goes on without \(groups): \(reason)")
    }

    /// The calling thread must live as long as the process. `inbox` passes feeds to the main thread, which calls `feedReady`;
    /// `announce` sends events to the clients.
    init(
        take: Take, supervision: SupervisionLimits, confinement: ConfinementRequest, inbox: Inbox,
        frameReceivers: FrameReceivers = FrameReceivers(), desktop: DesktopServices? = nil,
        isScreenLocked: Bool = false, announce: @escaping (DestinationEvent) -> Void
    ) {
        self.frameReceivers = frameReceivers
        self.take = take
        self.isScreenLocked = isScreenLocked
        self.supervision = supervision
        self.confinement = confinement
        self.inbox = inbox
        self.desktop = desktop
        tell = announce
    }

    /// Adds a destination; `poll` starts it. Returns its number. `program`: the program that adds it; nil: the owner.
    @discardableResult
    func add(
        _ checked: Checked, for program: AskingProgram? = nil, isPaused: Bool = false, at now: Int64
    ) throws(EngineError) -> Int {
        guard supervisors.count(where: { !$0.isDone }) < Self.most else {
            throw .tooManyDestinations(Self.most)
        }
        // A removed destination's ending does not matter to the ending of the take.
        if supervisors.count >= Self.most,
            let oldest = supervisors.firstIndex(where: { $0.isDone && $0.status.isRemoved })
                ?? supervisors.firstIndex(where: \.isDone)
        {
            adders[supervisors.remove(at: oldest).status.destination] = nil
        }
        lastNumber += 1
        var destination = checked.destination
        destination.label = unusedLabel(destination.label.printable(limit: 200))
        let supervisor = ExtensionSupervisor(
            index: lastNumber, destination: destination, service: checked.service, setupInfo: checked.setupInfo,
            warning: checked.warning, supervision: supervision, context: context)
        if let annotation { supervisor.request(.annotateRequested(annotation), at: now) }
        if isScreenLocked { supervisor.request(.screenLockChanged(true), at: now) }
        if isPaused { supervisor.request(.pauseRequested, at: now) }
        supervisors.append(supervisor)
        if let program { adders[lastNumber] = program }
        return lastNumber
    }

    /// Makes labels unique: destinations with the same label would be indistinguishable.
    private func unusedLabel(_ label: String) -> String {
        let taken = Set(supervisors.map(\.status.label))
        let numbered = (1...supervisors.count + 1).lazy.map { $0 == 1 ? label : "\(label) \($0)" }
        return numbered.first { !taken.contains($0) } ?? label
    }

    /// Finishes a broadcast while the take continues; `answers` has the asker at its end. `mayBeLast`: the take can
    /// continue without destinations.
    func remove(_ number: Int, for asker: Asker, mayBeLast: Bool, at now: Int64) throws(EngineError) {
        let running = supervisors.filter { !$0.isEnded }
        guard let supervisor = running.first(where: { $0.status.destination == number }) else {
            throw .noSuchDestination(number, running: running.map(\.status.destination))
        }
        guard mayBeLast || running.count > 1 else { throw .lastDestination }
        // Before the removal: a destination that has not begun ends at once.
        requests.remove(number, for: asker)
        supervisor.request(.removalRequested, at: now)
    }

    /// Finishes the broadcasts that programs have added, if `reason` returns a sentence.
    func end(at now: Int64, _ reason: (AskingProgram) -> String?) {
        for supervisor in supervisors where !supervisor.isEnded {
            let status = supervisor.status
            guard let reason = adders[status.destination].flatMap(reason) else { continue }
            announce(
                DestinationEvent(
                    destination: status.destination, label: status.label, kind: .warning(reason), status: status))
            supervisor.request(.removalRequested, at: now)
        }
    }

    /// All have ended, and none of their processes is left.
    var areDone: Bool { supervisors.allSatisfy(\.isDone) }
    var haveAllEnded: Bool { !supervisors.isEmpty && supervisors.allSatisfy(\.isEnded) }
    var haveRunning: Bool { supervisors.contains { !$0.isEnded } }
    var statuses: [DestinationStatus] { supervisors.map(\.status) }

    var pollEntries: [pollfd] { supervisors.flatMap(\.pollEntries) }
    /// The latest instant to call `poll`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    var nextDeadline: Int64? { supervisors.compactMap(\.nextDeadline).min() }

    /// Call it whenever the loop wakes.
    func poll(at now: Int64) { for supervisor in supervisors { supervisor.poll(at: now) } }

    func feedReady(_ delivery: FeedDelivery, at now: Int64) {
        supervisors.first { $0.status.destination == delivery.destination }?.feedReady(delivery, at: now)
    }

    /// Passes a request of the take or a client on to each destination.
    func request(_ event: ExtensionStateMachine.Event, at now: Int64) {
        if case .annotateRequested(let info) = event { annotation = info }
        if case .screenLockChanged(let isLocked) = event { isScreenLocked = isLocked }
        for supervisor in supervisors { supervisor.request(event, at: now) }
    }

    /// Sends the new source to the destinations without an annotation of a client.
    func sourceSwitched(at now: Int64) { for supervisor in supervisors { supervisor.sourceSwitched(at: now) } }

    /// Requests new links; `answers` has the asker with the first. False if no destination can make one now.
    func renewLinks(for asker: Asker, at now: Int64) -> Bool {
        defer { request(.linkRenewalRequested, at: now) }
        guard supervisors.contains(where: \.canRenewLink) else { return false }
        requests.renew(for: asker)
        return true
    }

    /// The requests that an event answers. Each is returned once.
    func answers(upon event: DestinationEvent) -> (renewals: [Asker], removals: [Asker]) {
        switch event.kind {
        case .link: (requests.renewed(), [])
        case .ended: ([], requests.removed(event.destination))
        default: ([], [])
        }
    }

    /// Connects a client that receives frames with each running extension, or with one.
    func connectFrames(to client: EngineConnection, only number: Int?) {
        for supervisor in supervisors where number.map({ $0 == supervisor.status.destination }) ?? true {
            frameReceivers.connect(supervisor, with: client)
        }
    }

    /// Kills the processes because the engine exits. Waits at most two seconds for each destination.
    func abandon() { for supervisor in supervisors { supervisor.abandon() } }
}

/// The requests that a later event of a destination answers.
private struct DestinationRequests {
    private var renewals: [Asker] = []
    /// By the destination's number.
    private var removals: [Int: [Asker]] = [:]

    mutating func renew(for asker: Asker) { renewals.append(asker) }

    mutating func renewed() -> [Asker] {
        defer { renewals = [] }
        return renewals
    }

    mutating func remove(_ number: Int, for asker: Asker) { removals[number, default: []].append(asker) }

    mutating func removed(_ number: Int) -> [Asker] { removals.removeValue(forKey: number) ?? [] }
}

extension Destinations: SupervisionObserver {
    func announce(_ event: DestinationEvent) { tell(event) }

    func extensionRuns(_ supervisor: ExtensionSupervisor) { frameReceivers.extensionRuns(supervisor) }

    func perform(_ request: DesktopRequest, for client: DesktopClient, at now: Int64) {
        desktop?.perform(
            request,
            for: DesktopServices.Client(
                sender: .service(destination: client.destination), service: client.service, secrets: client.secrets,
                groups: client.groups, answer: client.answer), at: now)
    }
}
