// The browser that is started for a window: whether its link is used in time, and what the browser says if not.
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// Used on one thread.
package final class WindowWatch: PollSource {
    /// Nanoseconds for a window to come up.
    package static let timeout: Int64 = 10_000_000_000

    private let launcher: ProgramLauncher
    /// Of the window's links: a file goes when its link is used.
    private let files: [String]
    private let name: String
    private let number: Int?
    private let complain: (String) -> Void
    private var lastError: String?
    /// Nil: the window has come up, or it was said that it has not.
    package private(set) var nextDeadline: Int64?

    /// Starts the browser.
    ///
    /// - Parameters:
    ///   - command: the browser; nil: the desktop's, with the file of the first link.
    ///   - links: the browser's, and the one that the person may use instead.
    ///   - complain: gets a sentence if no window comes up.
    package init(
        _ command: (program: String, arguments: [String])?, _ links: [StudioLink],
        at now: Int64 = MonotonicClock.now(), complain: @escaping (String) -> Void
    ) {
        let launcher = ProgramLauncher(complain: complain)
        self.launcher = launcher
        (files, self.complain, nextDeadline) = (links.map(\.file), complain, now + Self.timeout)
        name = command.flatMap { FilePath(escaped: $0.program).lastComponent?.string } ?? "the default browser"
        if let command {
            number = launcher.start(command.program, command.arguments, keepsErrors: true)
        } else {
            number = links.first.flatMap { launcher.open($0.file, keepsErrors: true) }
        }
        if number == nil { nextDeadline = nil }
    }

    /// Also while nothing is waited for: a browser that ends would stay as a zombie.
    package var pollEntries: [pollfd] { launcher.pollEntries }

    /// Call it when the links that were used have lost their files.
    package func process(at now: Int64) {
        guard let deadline = nextDeadline, let number else {
            launcher.reap()
            return
        }
        guard files.allSatisfy({ access($0.cString, F_OK) == 0 }) else {
            nextDeadline = nil
            return
        }
        lastError = launcher.stderr(of: number) ?? lastError
        // One that runs already gets the link from a second one, which then ends well.
        let hasFailed = launcher.reap().contains { $0.ending != .exited(status: 0) }
        guard hasFailed || now >= deadline else { return }
        nextDeadline = nil
        let words = lastError.flatMap(MemoryLog.stderrTail(in:)).map { " (\(name): \($0.printable(limit: 300)))" } ?? ""
        complain(
            "No window has come up\(words); open the link of kinecast studio --no-browser in a browser, or choose another "
                + "one: kinecast config set studio browser PROGRAM.")
    }
}
