// From a client's request to an opened take: the configuration is checked, services are found, the take is entered in the registry, and
// a worker thread opens it, since that blocks.
import KineMedia
import KinePlatform
import KineServices
import KineTake
import KineWire
import SystemPackage

/// An opened take, with its private screen if it has one.
struct OpenedTake: Sendable {
    let take: Take
    let screen: (any SourceSession)?

    /// Opens the take. Once, in a thread that lives as long as the process.
    ///
    /// - Parameters:
    ///   - directory: the take's own, for the private servers' files.
    ///   - cover: hides the screen while it is locked.
    ///   - cancellation: ends all waits, also later ones for the frames' source.
    init(
        _ configuration: TakeConfiguration, services: [SampleRequirements], directory: String, cover: ScreenCover,
        inbox: Inbox, cancellation: Cancellation
    ) throws(TakeError) {
        let screen = try SourceRegistry.all.kind(of: configuration)?
            .startSession(in: directory, withAudio: configuration.audio.app != .none, cancellation)
        do throws(TakeError) {
            take = try Take(
                configuration: configuration, services: services, sources: .all, cover: cover, observer: inbox,
                cancellation: cancellation
            )
        } catch {
            screen?.end()
            throw error
        }
        self.screen = screen
    }
}

extension SourceRegistry {
    static let all = SourceRegistry([
        X11Kind.self, CommandWindowKind.self, WaylandKind.self, PortalKind.self, VirtualKind.self, PatternKind.self,
    ])
}

/// A take that a client has asked for, checked and registered.
struct TakeRequest {
    let configuration: TakeConfiguration
    let destinations: [Destinations.Checked]
    let registration: Registration

    init(_ configuration: TakeConfiguration) throws(EngineError) {
        do throws(TakeConfiguration.Problem) {
            try configuration.validate()
        } catch {
            throw .configuration(error)
        }
        self.configuration = configuration
        destinations = try Destinations.check(
            configuration.destinations, confinement: configuration.confinement, in: Self.catalog)
        do throws(TakeRegistry.Error) {
            registration = try TakeRegistry.standard().register(
                output: configuration.isOutputNumbered ? nil : configuration.file,
                source: configuration.source.description, app: configuration.app, clipBuffer: configuration.clipBuffer)
        } catch {
            throw .registry(error)
        }
    }

    /// The services installed for this user, and those beside this executable.
    static var catalog: ServiceCatalog {
        .standard(executableDirectory: FilePath(escaped: ExecutableSearch.own ?? "/").removingLastComponent())
    }
}

/// Carries out jobs one after the other, in a thread that exists from the start: a process that may have no more threads still
/// finishes its file. The thread lives as long as the process, since the servers that it starts end with it.
final class TakeWorker: Sendable {
    private let jobs: Monitor<[@Sendable () -> Void]>

    init() throws(Errno) {
        let jobs = Monitor<[@Sendable () -> Void]>([])
        self.jobs = jobs
        _ = try DedicatedThread(starting: "take") {
            while let job = jobs.wait(for: { $0.isEmpty ? nil : $0.removeFirst() }) { job() }
        }
    }

    func perform(_ job: @escaping @Sendable () -> Void) { jobs.signal { $0.append(job) } }
}
