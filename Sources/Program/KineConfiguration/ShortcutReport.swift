// The tray's report on its keys, for `kinecast shortcuts`: a file beside the registry of takes. A second file asks the tray
// for the desktop's dialog.
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// Which keys work, and why others do not.
package struct ShortcutReport: Codable, Sendable, Equatable {
    package enum Holder: String, Codable, Sendable {
        case portal, x11
    }

    /// The key of one action.
    package struct Key: Codable, Sendable, Equatable {
        /// Set if a key is bound.
        package var holder: Holder?
        /// The bound key; from a portal in the desktop's words.
        package var trigger: String?
        /// A sentence on why no key is bound.
        package var problem: String?

        package init(holder: Holder, trigger: String) { (self.holder, self.trigger) = (holder, trigger) }
        package init(problem: String) { self.problem = problem }
    }

    private static let name = "shortcuts.json"
    private static let request = "shortcuts.bind"

    /// The reporting process, and its program's name: a later process may get the same number.
    private let process: Int32
    private let program: String?
    /// By the actions' names.
    package var keys: [String: Key]

    package init(keys: [String: Key]) {
        process = getpid()
        program = Self.program(of: getpid())
        self.keys = keys
    }

    package func write(in directory: FilePath) throws {
        try PrivateDirectory.replace(directory.appending(Self.name), with: Array(try JSONEncoder().encode(self)))
    }

    /// The last report of a process that still runs.
    package static func current(in directory: FilePath) -> ShortcutReport? {
        guard let bytes = PrivateDirectory.contents(of: directory.appending(name), limit: 65536),
            let report = try? JSONDecoder().decode(ShortcutReport.self, from: Data(bytes)),
            report.program != nil, report.program == program(of: report.process)
        else { return nil }
        return report
    }

    /// Asks the reporting process for the desktop's dialog.
    package static func requestDialog(in directory: FilePath) throws {
        try PrivateDirectory.replace(directory.appending(request), with: [])
    }

    /// Whether another process has asked for the dialog. Removes the request.
    package static func takeRequest(in directory: FilePath) -> Bool {
        unlink(directory.appending(request).cString) == 0
    }

    private static func program(of process: Int32) -> String? {
        PrivateDirectory.contents(of: FilePath("/proc/\(process)/comm"), limit: 64)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
