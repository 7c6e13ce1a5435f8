// What the engine and its helpers say on standard error: kept in memory, so that a death can be explained and an ordinary
// take leaves no file behind.
import Glibc
import KinePlatform
import SystemPackage

/// A bounded file in memory that becomes the engine's standard error. It outlives the client, so the engine never writes
/// into a closed pipe. Owns its descriptor.
final class EngineLog {
    /// Bytes; what comes after them is lost.
    static let limit = 256 * 1024
    /// Where it is set, the engine speaks on this process's standard error instead.
    static let variable = "KINECAST_DEBUG"

    /// Nil where the engine speaks on standard error.
    private let log: MemoryLog?

    /// Where the kernel has no such files, the engine speaks on standard error too.
    init() { log = getenv(Self.variable) == nil ? MemoryLog(name: EngineLocator.name, limit: Self.limit) : nil }

    var descriptor: FileDescriptor { log?.descriptor ?? .standardError }

    /// The line that tells most about a death; nil where nothing was written.
    func lastWords() -> String? { log?.lastWords() }
}
