// Starts the programs behind the entries of the menu, and waits for none of them.
import Glibc
import KinePlatform
import SystemPackage

/// Used on one thread. The programs outlive this process.
final class Launcher {
    /// A person has fewer open; more are not started.
    private static let most = 32

    /// The programs of this installation.
    struct Programs {
        /// The path of `kinecast`; nil: there is none.
        var kinecast: String?
        var studio: String?

        /// - Parameter executable: this process's, in `libexec/kinecast` or where it was built.
        static func beside(_ executable: FilePath) -> Programs {
            let own = executable.removingLastComponent()
            let installed = own.removingLastComponent().removingLastComponent().appending("bin/kinecast")
            let kinecast = [installed, own.appending("kinecast")].map(\.escaped).first(where: isExecutable)
            let studio = own.appending("kinecast-studio").escaped
            return Programs(
                kinecast: kinecast ?? ExecutableSearch.find("kinecast"), studio: isExecutable(studio) ? studio : nil)
        }

        private static func isExecutable(_ path: String) -> Bool { access(path.cString, X_OK) == 0 }
    }

    let programs: Programs
    private let complain: (String) -> Void
    private var running: [ChildProcess] = []

    /// - Parameter complain: gets a sentence about a program that cannot be started.
    init(_ programs: Programs, complain: @escaping (String) -> Void) {
        (self.programs, self.complain) = (programs, complain)
    }

    /// Readable when a program has ended.
    var descriptors: [Int32] { running.map(\.exitDescriptor) }

    func reap() { running.removeAll { $0.poll() != nil } }

    func kinecast(_ arguments: [String]) {
        guard let kinecast = programs.kinecast else {
            return complain("There is no kinecast beside kinecast-tray; install Kinecast completely.")
        }
        start(kinecast, arguments)
    }

    func studio() { if let studio = programs.studio { start(studio, []) } }

    func open(_ file: String) {
        if let opener = ExecutableSearch.find("xdg-open") {
            start(opener, [file])
        } else if let opener = ExecutableSearch.find("gio") {
            start(opener, ["open", file])
        } else {
            complain("There is no xdg-open here, which opens \(file.printable(limit: 200)); install xdg-utils.")
        }
    }

    private func start(_ path: String, _ arguments: [String]) {
        reap()
        guard running.count < Self.most else {
            return complain("\(Self.most) programs of the tray run already; close some of them.")
        }
        var options = ChildProcess.Options()
        // Without a terminal, `kinecast` says what it did by a notification.
        options.descriptors = [nil, nil, nil]
        options.newSession = true
        do throws(Errno) {
            running.append(
                try ChildProcess(
                    executable: path, arguments: arguments, environment: ProcessEnvironment.current, options: options))
        } catch {
            complain("\(path) cannot be started (\(error)); check its permissions.")
        }
    }
}
