// The desktop's own file dialog, in which the person chooses where a cut is saved.
import Glibc
import KineDesktop
import KinePlatform

/// Any thread may call.
struct FileDialog: Sendable {
    /// Nanoseconds in which a portal has to start and to answer. The person gets all the time they want.
    private static let timeout: Int64 = 5_000_000_000

    /// The address of the user's bus.
    var bus: String? = BusAddresses.find().session

    /// Whether there is such a dialog.
    func isThere() async -> Bool { (try? await run(nil)) == .found }

    /// Shows the dialog until the person has chosen. Throws `cancelled` if they choose nothing, or the task is cancelled.
    ///
    /// - Returns: the absolute path. If a file is there, the person wants it replaced.
    func choose(_ request: SaveDialogRequest) async throws -> String {
        switch try await run(request) {
        case .chosen(let path)?: return path
        // `found` comes only without a request.
        case .failed(.declined)?, .failed(.closed)?, .found?, nil: throw StudioProblem.cancelled
        case .failed(let error)?: throw error
        }
    }

    /// Nil: the task was cancelled, or there was no answer in time.
    private func run(_ request: SaveDialogRequest?) async throws -> SaveDialogSession.Event? {
        let wake = WakeSignal()
        return try await BlockingCall.run("studio-dialog") { () throws(StudioProblem) in
            do { return try wait(for: request, wake) } catch { throw StudioProblem(error) }
        } onCancel: {
            wake.signal()
        }
    }

    private func wait(
        for request: SaveDialogRequest?, _ wake: WakeSignal
    ) throws(PortalError) -> SaveDialogSession.Event? {
        let session = try SaveDialogSession(request, bus: bus)
        let end = request == nil ? MonotonicClock.now() + Self.timeout : .max
        while true {
            if let event = session.process().first { return event }
            var entries = wake.pollEntries + session.pollEntries
            WakeSignal.poll(&entries, until: min(session.nextDeadline ?? .max, end))
            guard entries[0].revents != 0 || MonotonicClock.now() >= end else { continue }
            session.cancel(timeout: Self.timeout)
            return nil
        }
    }
}
