// Opens the app of a take, as its manifest says: by its desktop file, else by one of its URL schemes.
import KineDesktop
import KineMedia
import KinePlatform
import KineSupervision
import KineText
import SystemPackage

/// Tries the ways to open an app, one after the other. Used by the main thread.
final class AppOpener {
    enum Way: Sendable, Equatable {
        /// By the bus: Desktop Entry Specification 1.5, "D-Bus Activation".
        case bus(application: String)
        /// `mayRunOn`: some programs that open URLs run as long as the app does.
        case program(String, arguments: [String], mayRunOn: Bool)
    }

    private struct Opening {
        var ways: ArraySlice<Way>
        let token: String?
        let finished: (Bool) -> Void
        /// For the bus; a program's thread has its own deadline.
        var deadline: Int64?
    }

    /// Nanoseconds for each way.
    static let timeout: Int64 = 5_000_000_000

    private let app: AppIdentity?
    private let desktop: Desktop?
    private let deliver: @Sendable (Int, Bool) -> Void
    private var openings: [Int: Opening] = [:]
    private var lastNumber = 0

    /// `deliver` passes a number, and whether the app is open, to the main thread, which calls `tried`. Called on any
    /// thread.
    init(_ app: AppIdentity?, desktop: Desktop?, deliver: @escaping @Sendable (Int, Bool) -> Void) {
        self.app = app
        self.desktop = desktop
        self.deliver = deliver
    }

    /// Whether the app's manifest says how to open it.
    var isPossible: Bool { app.map { $0.desktopFile != nil || !$0.urlSchemes.isEmpty } ?? false }

    var isOpening: Bool { !openings.isEmpty }

    /// `finished` is called once, on the main thread.
    func open(token: String?, at now: Int64, finished: @escaping (Bool) -> Void) {
        lastNumber += 1
        openings[lastNumber] = Opening(
            ways: app.map { Self.ways(to: $0)[...] } ?? [], token: token, finished: finished, deadline: nil)
        proceed(lastNumber, at: now)
    }

    /// Handles the result of the current way.
    func tried(_ number: Int, isOpen: Bool, at now: Int64) {
        guard let opening = openings[number] else { return }
        guard isOpen else { return proceed(number, at: now) }
        openings[number] = nil
        opening.finished(true)
    }

    /// Handles the answer of the bus.
    func activated(_ number: Int, _ isActivated: Bool, at now: Int64) {
        // Without a deadline, the answer is to an attempt that was given up.
        guard openings[number]?.deadline != nil else { return }
        tried(number, isOpen: isActivated, at: now)
    }

    var nextDeadline: Int64? { openings.values.compactMap(\.deadline).min() }

    func timePassed(at now: Int64) {
        for (number, opening) in openings where opening.deadline.map({ $0 <= now }) ?? false {
            tried(number, isOpen: false, at: now)
        }
    }

    private func proceed(_ number: Int, at now: Int64) {
        guard var opening = openings[number] else { return }
        guard let way = opening.ways.popFirst() else {
            openings[number] = nil
            return opening.finished(false)
        }
        if case .bus = way { opening.deadline = now + Self.timeout } else { opening.deadline = nil }
        openings[number] = opening
        switch way {
        case .bus(let application):
            guard let desktop else { return proceed(number, at: now) }
            desktop.activate(application: application, token: opening.token, number: number)
        case .program(let path, let arguments, let mayRunOn):
            let (token, deliver) = (opening.token, deliver)
            do throws(Errno) {
                _ = try DedicatedThread(starting: "open-app") {
                    Self.run(path, arguments, token, mayRunOn: mayRunOn) { deliver(number, $0) }
                }
            } catch {
                proceed(number, at: now)
            }
        }
    }

    /// - Parameters:
    ///   - variable: returns a variable's value.
    ///   - find: returns the path of a program.
    static func ways(
        to app: AppIdentity, variable: (String) -> String? = ProcessEnvironment.value,
        find: (String) -> String? = ExecutableSearch.find
    ) -> [Way] {
        var ways: [Way] = []
        if let id = app.desktopFile, id.isServiceID {
            let file = DesktopFile(id, variable: variable)
            if file?.isBusActivatable == true { ways.append(.bus(application: id)) }
            if let program = find("gtk-launch") {
                ways.append(.program(program, arguments: [id], mayRunOn: false))
            }
            if let file, let program = find("gio") {
                ways.append(.program(program, arguments: ["launch", file.path.escaped], mayRunOn: false))
            }
        }
        if let scheme = app.urlSchemes.first {
            if let shell = find("sh"), let asked = find("xdg-mime"), let program = find("xdg-open") {
                ways.append(
                    .program(
                        shell, arguments: ["-c", openIfHandled, "sh", asked, program, scheme], mayRunOn: true))
            }
            if let program = find("gio") {
                ways.append(.program(program, arguments: ["open", "\(scheme)://"], mayRunOn: true))
            }
        }
        return ways
    }

    /// For a URL without a handler, xdg-open starts a browser and reports success.
    private static let openIfHandled =
        #"test -n "$("$1" query default "x-scheme-handler/$3")" && exec "$2" "$3://""#

    /// Starts a program and waits for its end, at most `timeout`; afterwards the program continues.
    private static func run(
        _ path: String, _ arguments: [String], _ token: String?, mayRunOn: Bool, tell: (Bool) -> Void
    ) {
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.newSession = true
        // This mark belongs to no extension: the engine adopts the descendants of a launcher, and must not end them.
        var variables = [Orphans.markVariable: "none"]
        if let token { variables.merge(["XDG_ACTIVATION_TOKEN": token, "DESKTOP_STARTUP_ID": token]) { $1 } }
        guard
            let process = try? ChildProcess(
                executable: path, arguments: arguments,
                environment: ProcessEnvironment.merging(
                    ProcessEnvironment.forDesktop, variables.map { "\($0.key)=\($0.value)" }),
                options: options)
        else { return tell(false) }
        let ending = process.wait(until: MonotonicClock.now() + timeout)
        tell(ending == .exited(status: 0) || ending == nil && mayRunOn)
        if ending == nil { _ = process.wait() }
    }
}

/// The fields of an application's desktop file that are read (Desktop Entry Specification 1.5).
struct DesktopFile: Equatable {
    let path: FilePath
    /// Whether the bus can activate it, under its ID.
    let isBusActivatable: Bool

    /// Searches the directories for applications, the user's first. Nil if it is not found.
    init?(_ id: String, variable: (String) -> String? = ProcessEnvironment.value) {
        let own = [UserDirectories.ownData(variable)].compactMap(\.self)
        for directory in own + UserDirectories.systemData(variable) {
            let path = directory.appending("applications/\(id).desktop")
            guard let bytes = path.start(limit: 256 << 10) else { continue }
            self.path = path
            isBusActivatable = Self.isBusActivatable(String(decoding: bytes, as: UTF8.self))
            return
        }
        return nil
    }

    static func isBusActivatable(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline)
        // The first group, up to the heading of the next.
        let group = lines.drop { $0 != "[Desktop Entry]" }.dropFirst().prefix { !$0.hasPrefix("[") }
        return group.contains { line in
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            return parts == ["DBusActivatable", "true"]
        }
    }
}
