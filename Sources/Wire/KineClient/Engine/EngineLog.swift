// The standard error of the engine and its helpers, kept in memory: a death can be explained, and no take leaves a log file
// behind.
import Glibc
import KinePlatform
import SystemPackage

/// A bounded file in memory that becomes the engine's standard error. It outlives the client, so the engine never writes
/// into a closed pipe. Owns its descriptor.
final class EngineLog {
    /// The most bytes; later ones are lost.
    static let limit = 256 * 1024
    /// The environment variable that makes the engine write on this process's standard error instead.
    static let variable = "KINECAST_DEBUG"

    /// Nil where the engine writes on this process's standard error: the variable is set, or the kernel has no files in memory.
    private let log: MemoryLog?

    init() { log = getenv(Self.variable) == nil ? MemoryLog(name: EngineLocator.name, limit: Self.limit) : nil }

    var descriptor: FileDescriptor { log?.descriptor ?? .standardError }

    /// The line that tells most about a death; nil where nothing was written.
    func lastWords() -> String? { log?.lastWords() }
}
