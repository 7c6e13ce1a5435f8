// The paths under `read` of a manifest. Links may change: they are resolved at installation and each start. Linux.
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// The places that no service may read, even with a person's consent.
struct ReadablePaths {
    /// Neither these directories nor their parents may be read as a whole.
    private let whole: [FilePath]
    /// Neither these places nor their parents nor any of their contents may be read.
    private let closed: [FilePath]

    /// `variable`: returns the value of one of the person's variables.
    init(user: uid_t, _ variable: (String) -> String?) {
        func places(_ paths: [FilePath]) -> [FilePath] { paths + paths.compactMap(\.resolved) }
        let system: [FilePath] = ["/dev", "/run", "/sys", "/tmp", "/var/tmp"]
        whole = places(system + (user == 0 ? ["/etc"] : []) + UserDirectories.homes(variable))
        // The contents of these differ for each process that opens them.
        let own: [FilePath] = ["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"]
        closed = own + places(UserDirectories.kinecast(variable))
    }

    /// The resolved paths. Missing ones are left out.
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
