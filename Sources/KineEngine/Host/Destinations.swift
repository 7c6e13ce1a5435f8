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
    ) throws(TakeFailure) -> [Checked] {
        guard !destinations.isEmpty else { return [] }
        let missing = Sandbox.Layer.allCases.filter { !confinement.layers.contains($0) }
        if confinement.isRequired, !missing.isEmpty {
            throw TakeFailure(
                exitStatus: ExitStatus.unavailable,
                message: "Extensions cannot be confined by \(missing.map(\.rawValue).joined(separator: " and ")) here; "
                    + "kinecast doctor says why, or leave out --require-sandbox.")
        }
        let services = catalog.list().services
        var checked: [Checked] = []
        for destination in destinations {
            guard let service = services.first(where: { $0.id == destination.service }) else {
                throw TakeFailure(
                    exitStatus: ExitStatus.unavailable,
                    message: "There is no service \(destination.service.printable(limit: 100)); there are "
                        + "\(services.map(\.id).joined(separator: ", ")), and kinecast services install adds one.")
            }
            guard access(service.executable.string, X_OK) == 0 else {
                throw TakeFailure(
                    exitStatus: ExitStatus.unavailable,
                    message: "\(service.executable), the executable of the service \(service.id), is not there; "
                        + "install \(service.origin == .builtIn ? "Kinecast completely" : "the service anew").")
            }
            do throws(Service.SetupProblem) {
                checked.append(
                    Checked(
                        destination: destination, service: service,
                        setupInfo: try service.setupInfo(from: destination.setupInfo)))
            } catch {
                throw TakeFailure(exitStatus: ExitStatus.usage, message: error.description)
            }
        }
        return checked
    }

    /// Starts an extension for each. The calling thread must live as long as the process.
    ///
    /// - Parameters:
    ///   - deliver: brings a feed to the main thread, which gives it to `fed`.
    ///   - announce: tells the clients.
    init(
        _ checked: [Checked], supervision: SupervisionLimits, confinement: ConfinementRequest,
        feeder: any ExtensionFeeder,
        deliver: @escaping @Sendable (FeedDelivery) -> Void,
        announce: @escaping (DestinationEvent) -> Void
    ) {
        guard !checked.isEmpty else {
            supervisors = []
            return
        }
        let surroundings = ExtensionSupervisor.Surroundings(
            feeder: feeder, orphans: Orphans(), environment: ProcessEnvironment.current, confinement: confinement,
            deliver: deliver, announce: announce)
        supervisors = checked.enumerated().map { index, checked in
            ExtensionSupervisor(
                index: index, destination: checked.destination, service: checked.service,
                setupInfo: checked.setupInfo, supervision: supervision, surroundings: surroundings)
        }
    }

    var isEmpty: Bool { supervisors.isEmpty }
    /// All are over for good, and nothing of them is left running.
    var areDone: Bool { supervisors.allSatisfy(\.isDone) }
    /// There are some, and none broadcasts any more nor will again.
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

    func pause(at now: Int64) { for supervisor in supervisors { supervisor.pause(at: now) } }

    func resume(at now: Int64) { for supervisor in supervisors { supervisor.resume(at: now) } }

    func annotate(_ info: [String: String], at now: Int64) {
        for supervisor in supervisors { supervisor.annotate(info, at: now) }
    }

    /// Has new links made. False where no destination can do that now.
    func renewLinks(at now: Int64) -> Bool {
        let able = supervisors.filter(\.canRenewLink)
        for supervisor in able { supervisor.renewLink(at: now) }
        return !able.isEmpty
    }

    /// The last sample of the take has been written.
    func finish(at now: Int64) { for supervisor in supervisors { supervisor.finish(at: now) } }

    /// Ends all of them now, whatever they do. Waits a moment for what was killed.
    func abandon() { for supervisor in supervisors { supervisor.abandon() } }
}
