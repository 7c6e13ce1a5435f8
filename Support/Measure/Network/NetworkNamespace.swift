// A network namespace that lasts as long as a process which does nothing else: nothing of it is left when its maker dies.
import Glibc

/// A network of its own for the programs that are started in it. Made by root, or by a user who may make namespaces.
final class NetworkNamespace {
    private let holder: HeldProcess
    private static let isRoot = geteuid() == 0

    var process: Int32 { holder.process.pid }

    /// - Parameter owner: for a user who is not root, whose user namespace the new one belongs to.
    init(beside owner: NetworkNamespace? = nil) throws {
        let shell = ["sh", "-c", "echo ready; exec cat"]
        let command: [String]
        if Self.isRoot {
            command = ["unshare", "--net"] + shell
        } else if let owner {
            command = owner.entering + ["unshare", "--net"] + shell
        } else {
            command = ["unshare", "--user", "--map-root-user", "--net"] + shell
        }
        do {
            holder = try HeldProcess(command[0], Array(command.dropFirst()))
        } catch {
            throw TestNetwork.Error(doing: command.joined(separator: " "), "\(error)")
        }
    }

    /// The words before a command that bring it in here. The command keeps the process's id.
    var entering: [String] {
        ["nsenter", "--target", "\(process)", "--net"] + (Self.isRoot ? [] : ["--user", "--preserve-credentials"])
            + ["--"]
    }

    /// Runs a tool in here. Returns what it prints.
    @discardableResult
    func run(_ tool: String, _ arguments: [String]) throws -> String {
        let command = entering + [try Tool.path(of: tool)] + arguments
        do {
            return try Tool.output(command[0], Array(command.dropFirst()))
        } catch {
            throw TestNetwork.Error(doing: ([tool] + arguments).joined(separator: " "), "\(error)")
        }
    }
}
