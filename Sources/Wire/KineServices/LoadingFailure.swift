// Why the dynamic loader did not start a confined program, from its standard error. A program that cannot be loaded
// fails in the same way each time, so restarting it is useless.
import KinePlatform
import KineText
import SystemPackage

/// The loader's reason. Its description follows the program's name in a sentence, and has no full stop.
public enum LoadingFailure: Equatable, Sendable, CustomStringConvertible {
    /// The program is linked to a library that does not exist or that it must not read.
    case unreadable(library: String)
    /// Another reason: a library for another machine, a C library that is too old …
    case other(String)

    /// - Parameters:
    ///   - executable: the path that the program was started with.
    ///   - stderrTail: the last line of its standard error.
    /// - Returns: nil if the loader did not end the program.
    public init?(of executable: FilePath, _ ending: ChildProcess.Ending, stderrTail: String?) {
        // glibc's _dl_fatal_printf (elf/dl-minimal.c) and, for versions, elf/dl-version.c exit with 127 and 1.
        let name = "\(executable): "
        guard case .exited(let status) = ending, status != 0, let stderrTail, stderrTail.hasPrefix(name) else {
            return nil
        }
        let message = String(stderrTail.dropFirst(name.count)).printable(limit: 200)
        let occasion = "error while loading shared libraries: "
        if message.hasPrefix(occasion) {
            let reason = message.dropFirst(occasion.count)
            guard let end = reason.firstRange(of: ": cannot open shared object file") else {
                self = .other(String(reason))
                return
            }
            self = .unreadable(library: String(reason[..<end.lowerBound]))
        } else if message.contains(": version `"), message.contains("' not found (required by ") {
            self = .other(message)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .unreadable(let library):
            "is linked to \(library), which a confined extension cannot read; "
                + (Self.isSwifts(library)
                    ? "build it with --static-swift-stdlib"
                    : "install the library, or name its directory under “read” in the manifest")
        case .other(let reason): "cannot be loaded (\(reason)); build it for this system"
        }
    }

    /// Whether the library is part of Swift's toolchain.
    private static func isSwifts(_ library: String) -> Bool {
        ["libswift", "lib_Internal", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime"]
            .contains { library.hasPrefix($0) }
    }
}
