// Libraries that are loaded when they are first needed, in the version that the build was made for.
import Glibc

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

    /// Advice for a person without the library: the end of a sentence, without a full stop. Names another version that is there.
    public var remedy: String {
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
