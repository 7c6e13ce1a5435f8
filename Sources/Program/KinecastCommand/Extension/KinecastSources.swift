// Finds the library KinecastExtension for a new extension's package: a checkout on this machine, or a repository.
import CBuild
import FoundationEssentials
import Glibc
import KinePlatform
import KineProgram
import KineText
import SystemPackage

enum KinecastSources: Equatable {
    /// An absolute path.
    case checkout(String)
    case repository(String)

    /// The checkout that this executable was built from; nil in a package, which is used without one.
    static let builtFrom: FilePath? = {
        let path = FilePath(platformString: kine_build_checkout())
        return path.isEmpty ? nil : path
    }()

    private static var missing: String {
        guard let builtFrom else { return "This kinecast comes from a package, which has no sources" }
        return "The sources that this kinecast was built from, \(builtFrom), are not there any more"
    }

    /// The sources that `--kinecast` names; for nil, the checkout that this executable was built from.
    static func find(_ typed: String?, workingDirectory: FilePath) throws(CommandFailure) -> KinecastSources {
        guard let typed else {
            if let builtFrom, isCheckout(builtFrom) { return .checkout(builtFrom.escaped) }
            throw CommandFailure.unavailable(
                missing + "; say where they are with --kinecast PATH or --kinecast URL.")
        }
        // A git address: https://…, ssh://…, git@host:… (git-clone(1), "GIT URLS").
        if typed.contains("://") || (typed.contains("@") && typed.contains(":")) { return .repository(typed) }
        let path = workingDirectory.pushing(FilePath(escaped: typed)).lexicallyNormalized()
        guard isCheckout(path) else {
            throw CommandFailure.usage(
                "\(typed) holds no sources of Kinecast (a Package.swift and Sources/Library/KinecastExtension); "
                    + "correct --kinecast.")
        }
        return .checkout(path.escaped)
    }

    /// The versions that a checkout was last built with, as the text of a Package.resolved; nil if unknown. It names
    /// only packages that the library needs, because the package manager would fetch any other.
    var pins: String? {
        struct Resolved: Codable {
            struct Pin: Codable {
                struct State: Codable {
                    var revision: String?
                    var version: String?
                }
                var identity: String
                var kind: String
                var location: String
                var state: State
            }
            var pins: [Pin]
            var version: Int
        }
        guard let written, var resolved = try? JSONDecoder().decode(Resolved.self, from: Data(written)) else {
            return nil
        }
        resolved.pins.removeAll { $0.identity != "swift-system" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(resolved)).map { String(decoding: $0, as: UTF8.self) }
    }

    private var written: [UInt8]? {
        guard case .checkout(let path) = self else { return nil }
        return FilePath(escaped: path).appending("Package.resolved").start(limit: 1 << 20)
    }

    private static func isCheckout(_ path: FilePath) -> Bool {
        ["Package.swift", "Sources/Library/KinecastExtension"].allSatisfy {
            access(path.appending($0).cString, R_OK) == 0
        }
    }
}
