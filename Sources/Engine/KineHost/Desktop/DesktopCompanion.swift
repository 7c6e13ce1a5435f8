// The process `kinecast-engine --desktop`: the desktop for an app that links neither a bus nor an X library.
import CLinux
import KineDesktop
import KineMedia
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

/// Serves the app at the other end of a socket. Used by the main thread.
///
/// It ends with the app, but first shows the app's delayed notifications. A click on a shown notification then starts
/// the app; the companion waits for it until the notification is gone, or for a day.
public final class DesktopCompanion {
    private typealias Connection = ControlConnection<DesktopRequest, DesktopAnswer>

    private let connection: Connection
    private let inbox = Inbox()
    private let desktop: Desktop?
    private let services: DesktopServices
    private let app: AppIdentity

    /// The process that made the socket is the app; the manifest beside its executable identifies it.
    public init(client: FileDescriptor) throws(ControlError) {
        connection = try Connection(adopting: client)
        var app = Self.app(AskingProgram(at: connection.descriptor))
        // As the library does when an app opens a group's container. If it is not saved, other services could join.
        if (try? GroupStore.standard().keep(app.groupServices, of: app.identifier)) == nil, !app.groupServices.isEmpty {
            app.groups = []
        }
        self.app = app
        let inbox = inbox
        desktop = Desktop(.find()) { inbox.post(.desktop($0)) }
        services = DesktopServices(app: app, desktop: desktop) { inbox.post(.desktopService($0)) }
    }

    private static func app(_ program: AskingProgram) -> AppIdentity {
        let executable: String
        switch program {
        case .program(let path): executable = path
        case .commandLine: return AppIdentity(identifier: "kinecast", name: "Kinecast")
        case .unknown: return AppIdentity(identifier: "app", name: "An app")
        }
        if let identity = try? AppIdentity.of(executable: FilePath(escaped: executable)) { return identity }
        // A manifest that cannot be read is ignored.
        return AppIdentity(identifier: "app", name: FilePath(executable).lastComponent?.string)
    }

    /// Serves until the app has ended. Returns the exit status of the process.
    public func run() -> Int32 {
        var end = Int64.max
        while !connection.isClosed || services.hasPending || services.isOpening
            || services.awaitsClick && MonotonicClock.now() < end
        {
            services.isAppGone = connection.isClosed
            if !connection.isClosed || services.hasPending { end = MonotonicClock.now() + Self.clickTimeout }
            PollLoop.wait(for: inbox, connection.isClosed ? nil : connection, services, until: end)
            for message in inbox.drain() {
                switch message {
                case .desktop(let event): services.received(event, at: MonotonicClock.now())
                case .desktopService(let completion): services.completed(completion, at: MonotonicClock.now())
                default: break
                }
            }
            // After an error the connection is closed, which ends the loop.
            let requests = connection.isClosed ? [] : (try? connection.readAvailable()) ?? []
            for request in requests { services.perform(request, for: client, at: MonotonicClock.now()) }
            services.poll(at: MonotonicClock.now())
        }
        services.leave(until: MonotonicClock.now() + 1_000_000_000)
        desktop?.end(until: MonotonicClock.now() + 1_000_000_000)
        return 0
    }

    /// Nanoseconds to wait for a click after the last notification.
    private static let clickTimeout: Int64 = 86_400_000_000_000

    private var client: DesktopServices.Client {
        DesktopServices.Client(
            sender: .app, groups: app.groups, answer: { [connection] in _ = connection.deliver($0) })
    }
}
