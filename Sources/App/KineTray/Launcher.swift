// Starts the programs behind the entries of the menu, and waits for none of them.
import Glibc
import KinePlatform
import SystemPackage

/// Used on one thread. The programs outlive this process.
final class Launcher {
    /// A person has fewer open; more are not started.
    private static let most = 32

    /// The path of `kinecast`; nil: there is none.
    private let program: String?
    private let complain: (String) -> Void
    private var running: [ChildProcess] = []

    /// - Parameter complain: gets a sentence about a program that cannot be started.
    init(_ program: String?, complain: @escaping (String) -> Void) {
        (self.program, self.complain) = (program, complain)
    }

    /// - Parameter executable: this process's, in `libexec/kinecast` or where it was built.
    static func program(beside executable: FilePath) -> String? {
        let own = executable.removingLastComponent()
        let installed = own.removingLastComponent().removingLastComponent().appending("bin/kinecast")
        return [installed, own.appending("kinecast")].map(\.escaped).first { access($0.cString, X_OK) == 0 }
            ?? ExecutableSearch.find("kinecast")
    }

    /// Readable when a program has ended.
    var descriptors: [Int32] { running.map(\.exitDescriptor) }

    func reap() { running.removeAll { $0.poll() != nil } }

    func kinecast(_ arguments: [String]) {
        guard let program else {
            return complain("There is no kinecast beside kinecast-tray; install Kinecast completely.")
        }
        start(program, arguments)
    }

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
