// The paths under `read` of a manifest, with their links followed: at installation and at each start, since links change. Linux.
import Glibc
import KinePlatform
import SystemPackage

/// Knows the places that no service may read, whoever agrees to it.
struct ReadablePaths {
    /// Too much for one service, as is whatever lies above them.
    private let whole: [FilePath]
    /// The same, with all below them.
    private let closed: [FilePath]

    /// `variable`: the value of a variable of the person's.
    init(user: uid_t, _ variable: (String) -> String?) {
        func places(_ paths: [FilePath]) -> [FilePath] { paths + paths.compactMap(\.resolved) }
        let system: [FilePath] = ["/dev", "/run", "/sys", "/tmp", "/var/tmp"]
        whole = places(system + (user == 0 ? ["/etc"] : []) + UserDirectories.homes(variable))
        // What is below these is another file for each process that opens it.
        let own: [FilePath] = ["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"]
        closed = own + places(UserDirectories.kinecast(variable))
    }

    /// Where the paths lead. Those that are not there are left out.
    func resolve(_ paths: [String]) throws(ServiceManifest.Problem) -> [String] {
        var found: [String] = []
        for path in paths {
            let named = FilePath(escaped: path).lexicallyNormalized()
            let place = named.resolved
            guard !isRefused(named), !(place.map(isRefused) ?? false) else {
                let link = place.flatMap { $0 == named ? nil : ", a link to \($0)" } ?? ""
                throw ServiceManifest.Problem(
                    [ServiceManifest.CodingKeys.read], "names \(path)\(link), which no service may read")
            }
            if let place { found.append(place.escaped) }
        }
        return found
    }

    private func isRefused(_ path: FilePath) -> Bool {
        (whole + closed).contains { $0.starts(with: path) } || closed.contains { path.starts(with: $0) }
    }
}
