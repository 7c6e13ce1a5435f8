// `kinecast shortcuts`: the keys that start actions wherever the focus is. The tray's process holds them; this command
// reads its report and changes kinecast.conf.
import ArgumentParser
import KineConfiguration
import KineMedia
import KineProgram
import KineTakes

struct ShortcutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shortcuts", abstract: "Show and change the keys that work in every window.",
        discussion: """
            kinecast-tray holds them while it runs. A desktop with a portal for keys asks you once, and proposes what is set \
            here; later you change them in its settings. On other X11 desktops the keys are those that are set here.
            """,
        subcommands: [ShowCommand.self, SetCommand.self, UnsetCommand.self, BindCommand.self],
        defaultSubcommand: ShowCommand.self)

    private static var section: ConfigurationSection { ConfigurationSection(command: .shortcuts) }

    /// The report of kinecast-tray, if it runs.
    private static var report: ShortcutReport? {
        (try? TakeRegistry.standard().common).flatMap { ShortcutReport.current(in: $0) }
    }

    /// The keys that are set.
    private static func keys() throws -> ShortcutKeys {
        try ShortcutKeys(ConfigurationLayers.current().options(of: .shortcuts, profile: nil))
    }

    /// Writes these values, after a check of all keys together.
    private static func change(_ values: [(name: String, key: String?)]) throws {
        let path = try ConfigurationLayers.update { file in
            var file = file
            for (name, key) in values {
                file = try file.setting(name, to: [key].compactMap(\.self), in: section)
            }
            _ = try ShortcutKeys(file.options(of: section))
            return file
        }
        Terminal.standardError.line("Changed \(section) of \(path).")
    }

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print each action with its key, and where the key is bound.")

        @Flag(
            help: ArgumentHelp(
                "Give the actions without a key the usual ones: \(Quantity.list(DesktopAction.allCases.map(\.usualKey)))."
            ))
        var defaults = false

        @Flag(help: "Print a line of JSON for each action on standard output.")
        var json = false

        func run() throws {
            let set = try ShortcutsCommand.keys()
            if defaults {
                let missing = DesktopAction.allCases.filter { set.keys[$0.rawValue] == nil }
                try ShortcutsCommand.change(missing.map { ($0.rawValue, $0.usualKey) })
                return
            }
            let report = ShortcutsCommand.report
            let lines = DesktopAction.allCases.map { action in
                Line(action, set.keys[action.rawValue], report?.keys[action.rawValue], isRunning: report != nil)
            }
            if json { return lines.forEach { JSONEvents.write($0) } }
            TextTable.lines(lines.map(\.row)).forEach(Terminal.standardOutput.line)
            if report == nil {
                Terminal.standardError.line("kinecast-tray does not run, so no key works; kinecast tray starts it.")
            }
        }
    }

    private struct Line: Encodable {
        var action: String
        /// The key that is set in kinecast.conf.
        var key: String?
        /// `portal` or `x11`; left out if no key is bound.
        var holder: String?
        /// The bound key; from a portal in the desktop's words.
        var bound: String?
        var problem: String?
        /// Whether kinecast-tray runs.
        var running: Bool

        init(_ action: DesktopAction, _ key: KeyCombination?, _ held: ShortcutReport.Key?, isRunning: Bool) {
            self.action = action.rawValue
            self.key = key?.description
            (holder, bound, problem) = (held?.holder?.rawValue, held?.trigger, held?.problem)
            running = isRunning
        }

        var row: [String] {
            let words =
                switch holder {
                case "portal": "the desktop: \(bound ?? "")"
                case "x11": "bound: \(bound ?? "")"
                default: "not bound" + (problem.map { ": \($0)" } ?? "")
                }
            return [action, key ?? "-", words]
        }
    }

    struct SetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Give an action a key in kinecast.conf.")

        @Argument(help: ArgumentHelp("The action.", valueName: DesktopAction.names))
        var action: DesktopAction

        @Argument(help: "The key, such as Super+Shift+R, Ctrl+Alt+F9 or Print.")
        var key: String

        func run() throws {
            let combination: KeyCombination
            do throws(KeyCombination.Problem) {
                combination = try KeyCombination(key)
            } catch {
                throw CommandFailure.usage("\(action.rawValue): \(error).")
            }
            try ShortcutsCommand.change([(action.rawValue, combination.description)])
            if ShortcutsCommand.report?.keys[action.rawValue]?.holder == .portal {
                Terminal.standardError.line("The desktop keeps its own key for it; kinecast shortcuts bind shows it.")
            }
        }
    }

    struct UnsetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset", abstract: "Remove an action's key from kinecast.conf.")

        @Argument(help: ArgumentHelp("The action.", valueName: DesktopAction.names))
        var action: DesktopAction

        func run() throws { try ShortcutsCommand.change([(action.rawValue, nil)]) }
    }

    struct BindCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bind", abstract: "Open the desktop's own dialog or settings for the keys.")

        func run() throws {
            guard ShortcutsCommand.report != nil, let directory = try? TakeRegistry.standard().common else {
                throw CommandFailure.unavailable(
                    "kinecast-tray does not run, which binds the keys; start it with kinecast tray.")
            }
            do {
                try ShortcutReport.requestDialog(in: directory)
            } catch {
                throw CommandFailure.cannotCreate(
                    "The dialog cannot be requested in \(directory): \(error); free some space there.")
            }
            Terminal.standardError.line(
                "Asked for the desktop's dialog. If none opens, change the keys in the desktop's settings.")
        }
    }
}

// docs/keys.md says what each does.
extension DesktopAction: ExpressibleByArgument {
    /// All actions, as `--help` shows them.
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: "|") }
}
