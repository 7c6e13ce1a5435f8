// All destinations of a take. They are checked before anything begins, and the host's loop then drives them as one.
import Glibc
import KineControl
import KinePlatform
import KineServices
import SystemPackage

/// The extensions of one take. Used by the main thread.
final class Destinations {
    /// A destination whose service was found and accepts the user's settings.
    struct Checked {
        let destination: TakeConfiguration.Destination
        let service: Service
        let setupInfo: [String: String]
    }

    private let supervisors: [ExtensionSupervisor]

    /// Finds the services and checks the settings. Throws the problem of the first destination that has one.
    static func check(
        _ destinations: [TakeConfiguration.Destination], confinement: ConfinementRequest, in catalog: ServiceCatalog
    ) throws(TakeError) -> [Checked] {
        guard !destinations.isEmpty else { return [] }
        let missing = Set(Sandbox.Layer.allCases).subtracting(confinement.layers)
        guard !confinement.isRequired || missing.isEmpty else { throw .unconfined(missing) }
        let services = catalog.list().services
        return try destinations.map { destination throws(TakeError) in
            guard let service = services.first(where: { $0.id == destination.service }) else {
                throw .unknownService(destination.service, installed: services.map(\.id))
            }
            guard access(service.executable.string, X_OK) == 0 else { throw .missingExecutable(service) }
            do throws(Service.SetupProblem) {
                return Checked(
                    destination: destination, service: service,
                    setupInfo: try service.setupInfo(from: destination.setupInfo))
            } catch {
                throw .setup(error)
            }
        }
    }

    /// Starts an extension for each. The calling thread must live as long as the process. `inbox` brings feeds to the main
    /// thread, which gives them to `fed`; `announce` tells the clients.
    init(
        _ checked: [Checked], supervision: SupervisionLimits, confinement: ConfinementRequest, take: Take,
        inbox: Inbox, announce: @escaping (DestinationEvent) -> Void
    ) {
        guard !checked.isEmpty else {
            supervisors = []
            return
        }
        let surroundings = ExtensionSupervisor.Surroundings(
            take: take, orphans: Orphans(), environment: ProcessEnvironment.current, confinement: confinement,
            inbox: inbox, announce: announce)
        supervisors = checked.enumerated().map { index, checked in
            ExtensionSupervisor(
                index: index, destination: checked.destination, service: checked.service,
                setupInfo: checked.setupInfo, supervision: supervision, surroundings: surroundings)
        }
    }

    /// All have ended, and none of their processes is left.
    var areDone: Bool { supervisors.allSatisfy(\.isDone) }
    /// There are destinations, and all of them have ended.
    var haveAllEnded: Bool { !supervisors.isEmpty && supervisors.allSatisfy(\.isEnded) }
    var statuses: [DestinationStatus] { supervisors.map(\.status) }

    /// The entries for poll.
    var pollEntries: [pollfd] { supervisors.flatMap(\.pollEntries) }
    /// The latest instant to call `attend`, nanoseconds of CLOCK_MONOTONIC; nil: not before poll returns.
    var nextDeadline: Int64? { supervisors.compactMap(\.nextDeadline).min() }

    /// Call it whenever the loop wakes.
    func attend(at now: Int64) { for supervisor in supervisors { supervisor.attend(at: now) } }

    func fed(_ delivery: FeedDelivery, at now: Int64) {
        supervisors[delivery.destination].fed(delivery, at: now)
    }

    /// Passes a request of the take or a client on to each.
    func request(_ event: ExtensionStateMachine.Event, at now: Int64) {
        for supervisor in supervisors { supervisor.request(event, at: now) }
    }

    /// Has new links made. False if no destination can do that now.
    func renewLinks(at now: Int64) -> Bool {
        defer { request(.linkRenewalRequested, at: now) }
        return supervisors.contains(where: \.canRenewLink)
    }

    /// Kills their processes, since the engine exits. Waits two seconds at most for each destination.
    func abandon() { for supervisor in supervisors { supervisor.abandon() } }
}
