// Notifications of commands that a desktop's key runs, which have no terminal.
import KinePlatform
import KineProgram

extension DesktopNotifier {
    /// The rule of `forKey`, for the help of options.
    static let rule =
        "For a key of the desktop: unless a terminal shows standard error, a notification says what was done, or why not."

    /// The notifier of a command that a key may have run; nil for other commands, if a person sees standard error, and
    /// if a program reads JSON.
    static func forKey() -> DesktopNotifier? { isByKey ? DesktopNotifier() : nil }

    /// Whether a key may have run this command.
    static var isByKey: Bool { isForKey(ProcessEnvironment.arguments) && !Terminal.standardError.isWatched }

    /// Whether the command of these arguments is one for keys.
    static func isForKey(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--json") { return false }
        if options.contains("--toggle") { return true }
        // The other actions are commands of one word.
        let command = Array(options.prefix(1))
        return DesktopAction.allCases.contains { $0.arguments == command }
    }

    /// Shows one notification if a key may have run this command. Returns when the desktop has answered.
    static func tell(_ contents: Contents) {
        guard let notifier = forKey() else { return }
        notifier.show(contents)
        notifier.end()
    }
}
