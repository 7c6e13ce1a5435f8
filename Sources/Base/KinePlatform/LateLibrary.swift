// Libraries that are loaded when they are first needed, in the version that the build was made for.
import Glibc
import KineText

/// A library whose file name has the number of its interface, such as libavcodec.so.59. Another number is another library.
public struct LateLibrary: Sendable {
    /// Without the number.
    public let name: String
    public let interface: Int
    /// Debian's name of its package.
    public let package: String

    /// - Parameter package: nil: the name with the number.
    public init(_ name: String, interface: Int, package: String? = nil) {
        self.name = name
        self.interface = interface
        self.package = package ?? "\(name)\(interface)"
    }

    private enum State {
        case missing
        case loads
        case fails(reason: String)
    }

    private var state: State {
        let file = "\(name).so.\(interface)"
        if let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) {
            dlclose(library)
            return .loads
        }
        // The message begins with the name of the file at fault, which may be a library that this one needs.
        let reason = dlerror().map { String(cString: $0) } ?? ""
        return reason.hasPrefix("\(file): cannot open shared object file: No such file")
            ? .missing : .fails(reason: reason)
    }

    /// Why the library cannot be used, for the middle of a sentence: it is not installed, or cannot be loaded, or, if
    /// neither is so, `other`.
    public func lack(or other: String = "is not what Kinecast needs") -> String {
        switch state {
        case .missing: "is not installed"
        case .loads: other
        case .fails(let reason): "cannot be loaded (\(reason.printable(limit: 200)))"
        }
    }

    /// Advice for a person without the library: the end of a sentence, without a full stop. Names another version that is there.
    public var remedy: String {
        if case .fails = state {
            // RLIMIT_AS, an enumerator that is not imported.
            var limit = rlimit()
            let isLimited = getrlimit(__rlimit_resource_t(9), &limit) == 0 && limit.rlim_cur < 1 << 62
            return isLimited
                ? "raise the limit of memory that “ulimit -v” shows" : "install Debian's \(package) again"
        }
        guard let other = installedInterface else { return "install Debian's \(package)" }
        return "\(name) \(other) is installed, and Kinecast was built for \(interface): install Debian's \(package), "
            + "or a Kinecast built for this system"
    }

    /// The number of a neighbouring version that can be loaded; nil: there is none.
    private var installedInterface: Int? {
        (max(0, interface - 4)...interface + 8).first { number in
            guard number != interface, let library = dlopen("\(name).so.\(number)", RTLD_LAZY | RTLD_LOCAL) else {
                return false
            }
            dlclose(library)
            return true
        }
    }
}
