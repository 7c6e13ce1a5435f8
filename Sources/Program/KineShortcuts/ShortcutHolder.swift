// Holds the keys of kinecast.conf: asks the desktop's portal, or else grabs them on an X server. Reports
// the state of each key in ShortcutReport's file, and follows the changes of both files.
import Glibc
import KineConfiguration
import KineDesktop
import KinePlatform
import KineProgram
import KineTakes
import SystemPackage

/// Used on one thread, which polls.
package final class ShortcutHolder: PollSource {
    /// The conditions on which the keys depend.
    struct Context {
        /// The address of the user's bus.
        var bus: String?
        /// The X server whose keys may be grabbed; nil in a Wayland session, where Xwayland gets the keys of its own
        /// windows alone.
        var display: String?
        var settings: SettingsFile
        /// `NAME=value` strings.
        var environment: [String]
        /// For the report and for requests.
        var directory: FilePath
        /// See `GlobalShortcutsSession`.
        var asks = true

        static func current(
            asks: Bool = true, _ variable: (String) -> String? = ProcessEnvironment.value
        ) throws -> Context {
            Context(
                bus: BusAddresses.find().session, display: display(variable),
                settings: try SettingsFile(named: "kinecast.conf", variable), environment: ProcessEnvironment.current,
                directory: try TakeRegistry.standard().common, asks: asks)
        }

        static func display(_ variable: (String) -> String?) -> String? {
            let isX11 = variable("WAYLAND_DISPLAY") == nil && variable("XDG_SESSION_TYPE") != "wayland"
            return isX11 ? variable("DISPLAY") : nil
        }
    }

    private enum PortalState {
        case asking
        case bound([String: String])
        case failed(GlobalShortcutsSession.Error)
    }

    /// The name of the desktop file.
    private static let application = "org.kinecast.Kinecast"
    /// Milliseconds after which a press is a new one, though the key was never released. No desktop repeats so slowly.
    private static let longestRepeat: UInt64 = 1000

    private let context: Context
    private let complain: (String) -> Void
    private let watch: Inotify
    private var settings = ShortcutKeys()
    /// The text of the settings' file that was read last, and the sentence about it if it cannot be used.
    private var text: [UInt8]?
    private var settingsProblem: String?
    private var portal: GlobalShortcutsSession?
    private var portalState = PortalState.asking
    /// The time of the last press of each key that is down.
    private var lastPress: [DesktopAction: UInt64] = [:]
    private var x11: X11Shortcuts?
    private var x11Problem: String?
    private var report: ShortcutReport?

    /// The holder for this process; nil if there can be none. The desktop's dialog may stay open long after; without `asks`, there is
    /// none.
    package static func open(asks: Bool, complain: @escaping (String) -> Void) -> ShortcutHolder? {
        do {
            return try ShortcutHolder(.current(asks: asks), complain: complain)
        } catch let error as Errno {
            complain("No key works, because the system has no descriptors left (\(error)); close some programs.")
        } catch {
            // The errors of the settings' file and of the registry's directory are sentences.
            complain("\(error)")
        }
        return nil
    }

    /// Asks, without waiting: call `process` at once, and whenever the thread wakes.
    ///
    /// - Parameter complain: gets a sentence about each key that cannot be bound, also while `process` runs.
    init(_ context: Context, complain: @escaping (String) -> Void) throws(Errno) {
        (self.context, self.complain) = (context, complain)
        watch = try Inotify()
        watchDirectories()
        readSettings()
        do throws(GlobalShortcutsSession.Error) {
            portal = try GlobalShortcutsSession(
                proposals, of: Self.application, asks: context.asks, bus: context.bus)
        } catch {
            portalFailed(error)
        }
    }

    package var pollEntries: [pollfd] {
        let keys = x11.map { ReadableDescriptor($0.descriptor) }
        return watch.pollEntries + (keys?.pollEntries ?? []) + (portal?.pollEntries ?? [])
    }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    package var nextDeadline: Int64? { portal?.nextDeadline }

    /// Continues without waiting. Returns the actions whose keys were pressed.
    package func process() -> [DesktopAction] {
        while watch.read() {}
        readSettings()
        if ShortcutReport.takeRequest(in: context.directory) { portal?.configure() }
        let actions = portalActions() + x11Actions()
        publish()
        return actions
    }

    private func watchDirectories() {
        let directory = context.settings.path.removingLastComponent()
        // A directory is watched only if it is there.
        try? PrivateDirectory.makeMissing(directory)
        let target = context.settings.path.resolved?.removingLastComponent()
        for place in [context.directory, directory, target].compactMap(\.self) {
            _ = try? watch.watch(place, for: IN_CLOSE_WRITE, IN_MOVED_TO, IN_DELETE)
        }
    }

    private func readSettings() {
        do {
            let bytes = try context.settings.contents() ?? []
            guard bytes != text else { return }
            text = bytes
            let file = try ConfigurationFile(bytes, path: context.settings.path)
            let layers = ConfigurationLayers(file: file, environment: context.environment)
            settings = try ShortcutKeys(layers.options(of: .shortcuts, profile: nil))
            settingsProblem = nil
            portal?.shortcuts = proposals
        } catch {
            // The last keys that could be used stay.
            let sentence = (error as? CommandFailure)?.message ?? "\(error)"
            if sentence != settingsProblem { complain(sentence) }
            settingsProblem = sentence
        }
    }

    private var proposals: [GlobalShortcut] {
        DesktopAction.allCases.map { action in
            let key = settings.keys[action.rawValue] ?? (try? KeyCombination(action.usualKey))
            return GlobalShortcut(
                id: action.rawValue, description: action.sentence, preferredTrigger: key?.trigger ?? "")
        }
    }

    private func portalActions() -> [DesktopAction] {
        guard let portal else { return [] }
        var actions: [DesktopAction] = []
        for event in portal.process() {
            switch event {
            // Plasma 5.27 binds none from xdg-desktop-portal 1.16.1 on, which drops the names that it needs.
            case .bound(let triggers) where triggers.isEmpty: portalFailed(.noPortal)
            case .bound(let triggers):
                portalState = .bound(triggers)
                // Else both would start the action.
                x11 = nil
            case .pressed(let id, let time):
                guard let action = DesktopAction(rawValue: id) else { continue }
                let isNew = lastPress[action].map { time &- $0 > Self.longestRepeat } ?? true
                if isNew { actions.append(action) }
                lastPress[action] = time
            case .released(let id):
                if let action = DesktopAction(rawValue: id) { lastPress[action] = nil }
            case .failed(let error):
                if error == .busLost { self.portal = nil }
                portalFailed(error)
            }
        }
        return actions
    }

    private func portalFailed(_ error: GlobalShortcutsSession.Error) {
        portalState = .failed(error)
        lastPress = [:]
        if !error.isAbsence || context.display == nil { complain(error.sentence()) }
    }

    private func x11Actions() -> [DesktopAction] {
        do throws(X11ShortcutFailure) {
            if x11 == nil, x11Problem == nil, let display = context.display, case .failed(let error) = portalState,
                error.isAbsence
            {
                x11 = try X11Shortcuts(display: display)
            }
            guard let x11 else { return [] }
            let before = x11.problems
            var keys: [DesktopAction: KeyCombination] = [:]
            for action in DesktopAction.allCases { keys[action] = settings.keys[action.rawValue] }
            x11.bind(keys)
            let actions = try x11.process()
            for (action, sentence) in x11.problems where before[action] != sentence { complain(sentence) }
            return actions
        } catch {
            x11 = nil
            x11Problem = error.message
            complain(error.message)
            return []
        }
    }

    private func publish() {
        var keys: [String: ShortcutReport.Key] = [:]
        for action in DesktopAction.allCases { keys[action.rawValue] = key(of: action) }
        let new = ShortcutReport(keys: keys)
        guard new != report else { return }
        report = new
        // Without it, `kinecast shortcuts` says that no process holds the keys; they work all the same.
        try? new.write(in: context.directory)
    }

    private func key(of action: DesktopAction) -> ShortcutReport.Key {
        if let x11 {
            if let key = settings.keys[action.rawValue], x11.bound.contains(action) {
                return ShortcutReport.Key(holder: .x11, trigger: key.description)
            }
            let unset = "No key is set; kinecast shortcuts set \(action.rawValue) \(action.usualKey) gives it one."
            return ShortcutReport.Key(problem: x11.problems[action] ?? unset)
        }
        switch portalState {
        case .asking: return ShortcutReport.Key(problem: "The desktop is being asked; look for its dialog.")
        case .bound(let triggers):
            if let trigger = triggers[action.rawValue], !trigger.isEmpty {
                return ShortcutReport.Key(holder: .portal, trigger: trigger)
            }
            return ShortcutReport.Key(problem: "The desktop names no key for it; choose one in its settings.")
        case .failed(let error): return ShortcutReport.Key(problem: x11Problem ?? error.sentence(for: action))
        }
    }
}
