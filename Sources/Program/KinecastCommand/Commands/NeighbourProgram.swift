// Installed programs by which a command replaces its process.
import Glibc
import KineProgram
import KineText
import KineWire
import SystemPackage

enum NeighbourProgram {
    /// Replaces this process by the program `name`. Returns only by an error.
    static func become(_ name: String, _ options: [String]) throws(CommandFailure) -> Never {
        guard let program = EngineLocator().neighbour(name) else {
            throw .unavailable("\(name) is not beside \(EngineLocator.name); install Kinecast completely.")
        }
        var arguments = ([program.escaped] + options).map { strdup($0.cString) }
        arguments.append(nil)
        execv(program.cString, arguments)
        throw .unavailable("\(program) cannot be started (\(Errno(rawValue: errno))); correct its permissions.")
    }
}
