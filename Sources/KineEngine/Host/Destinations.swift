// All destinations of a take: checked before anything begins, then attended to by the host's loop as if they were one.
import Glibc
import KineControl
import KinePlatform
import KineServices
import SystemPackage

/// The extensions of one take. Used by the main thread.
final class Destinations {
    /// A destination whose service was found and takes what the user set.
    struct Checked {
        let destination: TakeConfiguration.Destination
        let service: Service
        let setupInfo: [String: String]
    }

    private let supervisors: [ExtensionSupervisor]

    /// Finds the services and checks what was set. Throws what is wrong with the first destination that cannot be.
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

    /// All are over for good, and nothing of them is left running.
    var areDone: Bool { supervisors.allSatisfy(\.isDone) }
    /// There are some, and none will broadcast again.
    var haveAllEnded: Bool { !supervisors.isEmpty && supervisors.allSatisfy(\.isEnded) }
    var statuses: [DestinationStatus] { supervisors.map(\.status) }

    /// What poll waits for.
    var pollEntries: [pollfd] { supervisors.flatMap(\.pollEntries) }
    /// CLOCK_MONOTONIC, nanoseconds, at which `attend` is due at the latest.
    var nextDeadline: Int64? { supervisors.compactMap(\.nextDeadline).min() }

    /// To be called whenever the loop wakes.
    func attend(at now: Int64) { for supervisor in supervisors { supervisor.attend(at: now) } }

    func fed(_ delivery: FeedDelivery, at now: Int64) {
        supervisors[delivery.destination].fed(delivery, at: now)
    }

    /// What the take or a client asks of each.
    func request(_ event: ExtensionStateMachine.Event, at now: Int64) {
        for supervisor in supervisors { supervisor.request(event, at: now) }
    }

    /// Has new links made. False where no destination can do that now.
    func renewLinks(at now: Int64) -> Bool {
        defer { request(.linkRenewalRequested, at: now) }
        return supervisors.contains(where: \.canRenewLink)
    }

    /// Ends all of them now, whatever they do. Waits a moment for what was killed.
    func abandon() { for supervisor in supervisors { supervisor.abandon() } }
}
