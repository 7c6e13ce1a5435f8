// Hides secrets from other programs, in this process's arguments, environment and memory. Linux.
import CLinux
import Glibc
import KineChoices
import KineMedia
import KinePlatform
import KineServices
import KineText
import SystemPackage

/// Removes secrets from arguments and environment. Copies remain in this process's memory.
enum ProcessSecrets {
    /// Overwrites these texts in the list of processes.
    static func hideFromArguments(_ secrets: [String]) {
        guard let range = argumentRange(), let base = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else {
            return
        }
        let arguments = UnsafeMutableRawBufferPointer(start: base, count: range.count)
        for secret in secrets { overwrite(Array(secret.utf8), in: arguments) }
    }

    /// Removes a variable from the environment of this process and its children.
    static func hideVariable(_ name: String) {
        // /proc shows the memory in which the kernel stored the variables, so the value is overwritten too.
        guard let value = getenv(name) else { return }
        memset(value, Int32(UInt8(ascii: "*")), strlen(value))
        unsetenv(name)
    }

    private static func overwrite(_ secret: [UInt8], in bytes: UnsafeMutableRawBufferPointer) {
        guard !secret.isEmpty, secret.count <= bytes.count else { return }
        for start in 0...(bytes.count - secret.count)
        where bytes[start..<(start + secret.count)].elementsEqual(secret) {
            for index in start..<(start + secret.count) { bytes[index] = UInt8(ascii: "*") }
        }
    }

    /// The addresses at which the kernel put the arguments.
    private static func argumentRange() -> Range<Int>? {
        FilePath("/proc/self/stat").start(limit: 2048).flatMap { ProcessText.argumentRange(inStat: $0) }
    }
}

// Hides the secrets of chosen destinations from other processes, and from programs that are started later.
extension DestinationChoice {
    /// Call this first, since any later code may handle stream keys.
    ///
    /// - Parameter connect: connects with the engine, which sees no executable of a process whose dump is forbidden.
    func hideTypedSecrets<Engine>(after connect: () throws -> Engine) rethrows -> Engine {
        ProcessSecrets.hideFromArguments(to.filter { $0.contains("://") })
        // No core file after a crash, and no other process of this user reads this one's memory.
        defer { kine_forbid_dump() }
        return try connect()
    }

    /// Removes the variables that hold addresses from the environment that later programs inherit, and hides typed
    /// secrets of the services. Call this after the variables are read.
    func hideGivenSecrets(_ services: [Service]) throws {
        for name in try variables() { ProcessSecrets.hideVariable(name) }
        let settings = try settings()
        ProcessSecrets.hideFromArguments(
            services.flatMap { service in
                service.manifest.secretKeys.flatMap { key in
                    settings.filter { $0.key == key || $0.key == "\(service.id).\(key)" }.map(\.typedValue)
                }
            })
    }

    func hideSecrets(of chosen: [TakeConfiguration.Destination], _ services: [Service]) {
        ProcessSecrets.hideFromArguments(
            chosen.flatMap { destination in
                services.first { $0.id == destination.service }?.secrets(in: destination.setupInfo) ?? []
            })
    }

    func warnOfTypedKeys(
        json: Bool, on places: (sentences: Terminal, events: Terminal) = (.standardError, .standardOutput)
    ) throws {
        guard let warning = try typedKeyWarning() else { return }
        places.sentences.problem(warning)
        if json { JSONEvents.write(JSONEvent("warning") { $0.message = warning }, on: places.events) }
    }
}

extension DestinationReader {
    /// Reads this process's variables and standard input, and files relative to `directory`.
    static func standard(in directory: FilePath) -> DestinationReader {
        DestinationReader(
            environment: ProcessEnvironment.value, path: { directory.pushing(FilePath(escaped: $0)) },
            standardInput: PrivateFile.standardInput)
    }
}
