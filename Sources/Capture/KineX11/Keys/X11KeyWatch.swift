// A thread that follows the keyboard. It has its own connection to the server, so that a program that answers slowly does not delay
// capture, and so that the events that it selects on windows are no other part's.
import KineCapture
import KineMedia
import KinePlatform
import SystemPackage

/// The work of the thread, which makes and uses it.
protocol X11KeyFollowing {
    /// Returns after `wake` once `isEnding` is true, or when the server has gone.
    func run(_ wake: WakeSignal, isEnding: () -> Bool)
}

/// Follows the keyboard from `init` to `end`.
final class X11KeyWatch: Sendable {
    private struct State {
        var isEnding = false
        var opened: Result<Void, VideoSourceError>?
    }

    private let state = Monitor(State())
    private let wake = WakeSignal()

    /// Returns once the keyboard is followed.
    ///
    /// - Parameters:
    ///   - name: the thread's, a word.
    ///   - events: what the server is to report.
    ///   - display: the name of the server.
    ///   - cancellation: ends waits for the server.
    ///   - make: called on the thread.
    init(
        _ name: String, _ events: X11Input.Events, display: String?, cancellation: Cancellation?,
        make: @escaping @Sendable (X11Connection) throws(VideoSourceError) -> any X11KeyFollowing
    ) throws(VideoSourceError) {
        let (state, wake) = (state, wake)
        do throws(Errno) {
            _ = try DedicatedThread(starting: name) {
                do throws(VideoSourceError) {
                    let connection = try X11Connection(display: display, cancellation: cancellation)
                    guard let input = X11Input(connection: connection) else { throw .noInputEvents }
                    let loop = try make(connection)
                    input.select(events)
                    // The answer proves that the server has the request: no later key is missed.
                    if connection.geometry(of: connection.root) == nil { throw .serverLost }
                    state.signal { $0.opened = .success(()) }
                    loop.run(wake) { state.withLock { $0.isEnding } }
                } catch {
                    state.signal { $0.opened = .failure(error) }
                }
            }
        } catch {
            throw .noThread(name: name, error)
        }
        switch state.wait(until: nil, for: { $0.opened }) {
        case .failure(let error): throw error
        case .success, nil: break
        }
    }

    /// Ends the thread soon, without waiting.
    func end() {
        state.withLock { $0.isEnding = true }
        wake.signal()
    }
}

/// Which windows' keys count.
struct KeyScope: Sendable {
    /// The only windows whose keys count; nil: all windows.
    var windows: X11WindowRule?
    /// Windows whose keys do not count.
    var excluded: [X11WindowRule] = []
}
