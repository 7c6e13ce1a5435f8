// Links for windows, and the files that lead to them. Other users can read a program's arguments, so a browser gets the
// path of a file that only this user can read, and the file has the link.
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// Used on one thread.
final class StudioLinks: PollSource {
    private static let prefix = "studio-"

    private let directory: FilePath
    private let base: String
    private let makeToken: (StudioScope) -> RandomToken
    private var files: [(token: RandomToken, path: FilePath, expires: Int64)] = []

    /// Deletes link files of a server that was killed.
    ///
    /// - Parameters:
    ///   - directory: open to this user alone.
    ///   - base: the address of the server, with a slash at its end.
    init(in directory: FilePath, base: String, makeToken: @escaping (StudioScope) -> RandomToken) {
        (self.directory, self.base, self.makeToken) = (directory, base, makeToken)
        for name in PrivateDirectory.entries(directory) where name.hasPrefix(Self.prefix) && name.hasSuffix(".html") {
            _ = unlink(directory.appending(name).cString)
        }
    }

    deinit { for file in files { _ = unlink(file.path.cString) } }

    var nextDeadline: Int64? { files.first?.expires }

    /// - Parameter shown: the recording that the studio shows at first, by its ID.
    func make(to scope: StudioScope, showing shown: String? = nil, at now: Int64) throws -> StudioLink {
        removeExpired(at: now)
        let token = makeToken(scope)
        let query = if case .sheet(let id) = scope { "?sheet=\(id)" } else { shown.map { "?recorded=\($0)" } ?? "" }
        let address = "\(base)\(query)#\(token)"
        // Another name than the token: names of files are not secret.
        let path = directory.appending("\(Self.prefix)\(RandomToken()).html")
        try PrivateDirectory.write(Array(Self.document(leadingTo: address).utf8), to: path)
        files.append((token, path, now + StudioSecrets.linkLifetime))
        // The link of the oldest one stopped working.
        if files.count > StudioSecrets.mostLinks { _ = unlink(files.removeFirst().path.cString) }
        return StudioLink(address: address, file: path.escaped)
    }

    /// Removes the file of a link that was used.
    func remove(_ token: String) {
        for file in files where file.token.matches(token) { _ = unlink(file.path.cString) }
        files.removeAll { $0.token.matches(token) }
    }

    func removeExpired(at now: Int64) {
        for file in files where file.expires <= now { _ = unlink(file.path.cString) }
        files.removeAll { $0.expires <= now }
    }

    /// A page that replaces itself by the link in the history, and has it for browsers that refuse that.
    private static func document(leadingTo address: String) -> String {
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Kinecast</title>
        <script>location.replace("\(address)")</script>
        <p>If Kinecast does not open by itself, <a href="\(address.escapedMarkup)">open it</a>.

        """
    }
}
