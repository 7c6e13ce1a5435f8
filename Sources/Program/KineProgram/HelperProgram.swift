// `main` of kinecast-tray and kinecast-studio: runs the program, prints its error, exits.
import Glibc
import KinePlatform
import SystemPackage

package struct HelperProgram: Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }

    /// Runs the program with this process's arguments, and exits with the status of its failure.
    package func main(_ run: ([String]) throws -> Void) -> Never {
        do {
            try run(ProcessEnvironment.arguments)
            exit(0)
        } catch let failure as CommandFailure {
            say(failure.message)
            exit(failure.status)
        } catch {
            // The errors of the registry are sentences.
            say("\(error)")
            exit(ExitStatus.unavailable)
        }
    }

    package func say(_ sentence: String) {
        _ = try? FileDescriptor.standardError.writeAll("\(name): \(sentence)\n".utf8)
    }

    /// Names the place of an error.
    package static func using<Value>(_ place: FilePath, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw CommandFailure.cannotCreate(
                "\(place) cannot be used (\(error)); correct its permissions, or free some space there.")
        }
    }

    /// Ends the running instance of the program, by its lock file.
    ///
    /// - Parameter nothing: says that none runs.
    package func quit(_ lock: FilePath, nothing: String) throws {
        switch try Self.using(lock, { try InstanceLock.endRunning(lock) }) {
        case .nothingRan: say(nothing)
        case .ended: break
        case .stillRuns(let process):
            throw CommandFailure.unavailable(
                "It was asked to end and still runs; wait, or end its process with kill -9 \(process).")
        }
    }
}
