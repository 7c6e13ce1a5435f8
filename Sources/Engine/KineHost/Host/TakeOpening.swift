// Opens a take: the private screen, then the take's threads. It blocks, so the worker does it.
import KineMedia
import KinePlatform
import KineTake

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
