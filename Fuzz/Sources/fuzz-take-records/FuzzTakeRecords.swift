// Gives libFuzzer's bytes to the registry as what an engine that died has left of its take. Whatever they are: no crash; a take by the
// name of its directory, which is told with a command that a shell understands, and forgotten without touching anything else; or no
// take, and nothing left of it.
import FoundationEssentials
import FuzzDriver
import KineTakes
import KineWire
import SystemPackage

@_cdecl("fuzz_take_records_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the bytes of a take.json.
private func fuzz(_ bytes: [UInt8]) {
    let registry = DeadTakeRegistry.shared
    registry.writeRecord(bytes)
    let listing = registry.takes.list()
    precondition(listing.running.isEmpty, "the take has no engine, and is listed as running")
    guard let take = listing.dead.first else {
        precondition(!registry.hasTake, "what names no take was left")
        return
    }
    precondition(listing.dead.count == 1 && take.id == DeadTakeRegistry.id, "a take of another name")
    guard let again = try? JSONEncoder().encode(take) else { preconditionFailure("a record that cannot be written") }
    registry.writeRecord(Array(again))
    precondition(registry.takes.list() == listing, "a record changed on its way")
    checkCommand(take)
    do throws(TakeRegistry.Error) {
        _ = try registry.takes.find(String(DeadTakeRegistry.id.prefix(3)))
        preconditionFailure("a dead take was found running")
    } catch {
        precondition(error == .dead(take) && error.description.contains(DeadTakeRegistry.id), "\(error)")
    }
    precondition((try? registry.takes.dismiss(nil)) == take, "another take was dismissed")
    precondition(!registry.hasTake, "it is still there")
    precondition(registry.hasNeighbour, "something else was removed")
}

/// The file in `kinecast recover FILE`, as a shell would pass it on, is the take's.
private func checkCommand(_ take: TakeRecord) {
    guard let output = take.output else { return }
    let command = "kinecast recover "
    precondition(take.remedy.hasPrefix(command), "no command")
    var rest = take.remedy.unicodeScalars.dropFirst(command.unicodeScalars.count)
    var word = String.UnicodeScalarView()
    while let next = rest.first, next != " " {
        rest.removeFirst()
        switch next {
        case "'":
            word.append(contentsOf: rest.prefix { $0 != "'" })
            rest = rest.drop { $0 != "'" }.dropFirst()
        case "\\": if let escaped = rest.popFirst() { word.append(escaped) }
        default:
            precondition(!"\"$`;&|<>()*?[]#~!{}\n\t".unicodeScalars.contains(next), "a shell would obey")
            word.append(next)
        }
    }
    precondition(word.elementsEqual(output.unicodeScalars), "the shell passes another file on")
}

/// A registry with one take, and a directory beside it that is none of the registry's business.
private final class DeadTakeRegistry: Sendable {
    static let id = "deadbee1"
    static let shared = DeadTakeRegistry()

    let takes: TakeRegistry
    private let folder = Folder(directories: ["takes", "beside"])

    private init() {
        guard let takes = try? TakeRegistry(directory: FilePath(folder.path(of: "takes"))) else {
            preconditionFailure("no registry in \(folder.path)")
        }
        self.takes = takes
        folder.write([], to: "beside/kept")
    }

    var hasNeighbour: Bool { folder.has("beside/kept") }
    var hasTake: Bool { folder.has("takes/\(DeadTakeRegistry.id)") }

    func writeRecord(_ record: [UInt8]) {
        folder.make("takes/\(DeadTakeRegistry.id)")
        folder.write(record, to: "takes/\(DeadTakeRegistry.id)/take.json")
    }
}
