// From what a client asked for to a take that runs: the private screen, then the take's threads. It blocks, so the worker does it.
import Glibc
import KineCapture
import KineControl
import KinePlatform
import KineServices

/// A take that was opened, with the screen that it shows where that is its own.
struct OpenedTake: Sendable {
    let take: Take
    let screen: VirtualScreen?

    /// Opens the take. Once, in a thread that lives as long as the process.
    ///
    /// - Parameters:
    ///   - directory: the take's own, for the private servers' files.
    ///   - cancellation: ends all waits, also later ones for the frames' source.
    init(
        _ configuration: TakeConfiguration, services: [ServiceManifest], directory: String, inbox: Inbox,
        cancellation: Cancellation
    ) throws(TakeError) {
        let screen = try Self.startScreen(configuration, directory, cancellation)
        do throws(TakeError) {
            take = try Take(
                configuration: configuration, services: services, inbox: inbox, cancellation: cancellation)
        } catch {
            screen?.end()
            throw error
        }
        self.screen = screen
    }

    private static func startScreen(
        _ configuration: TakeConfiguration, _ directory: String, _ cancellation: Cancellation
    ) throws(TakeError) -> VirtualScreen? {
        guard case .virtual(let size) = configuration.source else { return nil }
        do throws(VirtualScreen.Error) {
            let screen = try VirtualScreen(
                size: size, directory: directory, withSound: configuration.audio.app != .none,
                cancellation: cancellation)
            // This process's own sources use the private servers from here on.
            for entry in screen.environment {
                let parts = entry.split(separator: "=", maxSplits: 1)
                setenv(String(parts[0]), String(parts[1]), 1)
            }
            return screen
        } catch {
            throw .virtualScreen(error)
        }
    }
}
