// From a client's request to an opened take: checks the configuration, finds the services, and registers the take. A
// worker thread opens it, because that blocks.
import KineCapture
import KineMedia
import KinePlatform
import KineServices
import KineTake
import KineTakes
import KineText
import KineWire
import KineX264
import SystemPackage

/// An opened take, with its private screen if it has one.
struct OpenedTake: Sendable {
    let take: Take
    let screen: VirtualSession?

    /// Opens the take. Call once, in a thread that lives as long as the process.
    ///
    /// - Parameters:
    ///   - directory: for the files of this take's private servers.
    ///   - cover: hides the screen while it is locked.
    ///   - cancellation: ends all waits, including later ones of the source.
    init(
        _ configuration: TakeConfiguration, services: [SampleRequirements], directory: String, cover: ScreenCover,
        inbox: Inbox, cancellation: Cancellation
    ) throws(TakeError) {
        let screen = try SourceRegistry.all.kind(of: configuration)?
            .startSession(in: directory, withAudio: configuration.audio.app != .none, cancellation)
        do throws(TakeError) {
            take = try Take(
                configuration: configuration, services: services, sources: .all, encoders: VideoEncoderKind.all,
                cover: cover, observer: inbox, cancellation: cancellation
            )
        } catch {
            screen?.end()
            throw error
        }
        self.screen = screen
    }
}

/// A take's opening. Its threads start before the take is there, so their messages are kept until then.
struct TakeOpening {
    /// Nil until the take is open.
    private(set) var opened: OpenedTake?
    private var early: [Inbox.Message] = []
    /// Ends every wait of the opening, and of the take's source.
    let cancellation = Cancellation()

    mutating func keep(_ message: Inbox.Message) { early.append(message) }

    /// Returns the kept messages.
    mutating func finish(_ opened: OpenedTake) -> [Inbox.Message] {
        defer { early = [] }
        self.opened = opened
        return early
    }
}

extension SourceRegistry {
    static let all = SourceRegistry([
        X11Kind.self, CommandWindowKind.self, WaylandKind.self, PortalKind.self, VirtualKind.self, PatternKind.self,
    ])
}

extension VideoEncoderKind {
    /// The encoders that takes can use, the preferred one first.
    static let all = [VideoEncoderKind(X264Encoder.self)]
}

/// A client's requested take, checked and registered.
struct TakeRequest {
    let configuration: TakeConfiguration
    let confinement: ConfinementRequest
    let destinations: [Destinations.Checked]
    let registration: Registration

    init(_ configuration: TakeConfiguration, _ confinement: ConfinementRequest) throws(EngineError) {
        do throws(TakeConfiguration.Problem) {
            try configuration.validate()
        } catch {
            throw .configuration(error)
        }
        (self.configuration, self.confinement) = (configuration, confinement)
        destinations = try Destinations.check(configuration.destinations, confinement: confinement, in: Self.catalog)
        do throws(TakeRegistry.Error) {
            registration = try TakeRegistry.standard().register(
                output: configuration.isOutputNumbered ? nil : configuration.file(part: 1),
                source: configuration.source.description, sourceName: configuration.source.name, app: configuration.app,
                clipBuffer: configuration.clipBuffer)
        } catch {
            throw .registry(error)
        }
    }

    /// The services installed for this user, and those in this executable's directory.
    static var catalog: ServiceCatalog {
        .standard(executableDirectory: FilePath(escaped: ExecutableSearch.own ?? "/").removingLastComponent())
    }
}

/// Carries out jobs in order, in a thread that exists from the start: a process that may have no more threads can still
/// finish its file. The thread lives as long as the process, because the servers that it starts end with it.
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
