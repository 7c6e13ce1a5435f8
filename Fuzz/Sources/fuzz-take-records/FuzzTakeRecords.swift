// Gives libFuzzer's bytes to the registry as what an engine that died has left of its take. Whatever they are: no crash; a take by the
// name of its directory, which is told with a command that a shell understands, and forgotten without touching anything else; or no
// take, and nothing left of it.
import FoundationEssentials
import FuzzDriver
import KineControl
import SystemPackage

@_cdecl("fuzz_take_records_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzzTarget) }

/// One input: the bytes of a take.json.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTarget(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let stage = Stage.shared
    stage.leave(bytes)
    let listing = stage.registry.list()
    precondition(listing.running.isEmpty, "the take has no engine, and is listed as running")
    guard let take = listing.dead.first else {
        precondition(!stage.hasTake, "what names no take was left")
        return 0
    }
    precondition(listing.dead.count == 1 && take.id == Stage.id, "a take of another name")
    guard let again = try? JSONEncoder().encode(take) else { preconditionFailure("a record that cannot be written") }
    stage.leave(Array(again))
    precondition(stage.registry.list() == listing, "a record changed on its way")
    checkCommand(take)
    do throws(TakeRegistry.Error) {
        _ = try stage.registry.find(String(Stage.id.prefix(3)))
        preconditionFailure("a dead take was found running")
    } catch {
        precondition(error == .dead(take) && error.description.contains(Stage.id), "\(error)")
    }
    precondition((try? stage.registry.dismiss(nil)) == take, "another take was dismissed")
    precondition(!stage.hasTake, "it is still there")
    precondition(stage.hasNeighbour, "something else was removed")
    return 0
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
private final class Stage: Sendable {
    static let id = "deadbee1"
    static let shared = Stage()

    let registry: TakeRegistry
    private let folder = Folder(directories: ["takes", "beside"])

    private init() {
        guard let registry = try? TakeRegistry(directory: FilePath(folder.path(of: "takes"))) else {
            preconditionFailure("no registry in \(folder.path)")
        }
        self.registry = registry
        folder.write([], to: "beside/kept")
    }

    var hasNeighbour: Bool { folder.has("beside/kept") }
    var hasTake: Bool { folder.has("takes/\(Stage.id)") }

    func leave(_ record: [UInt8]) {
        folder.make("takes/\(Stage.id)")
        folder.write(record, to: "takes/\(Stage.id)/take.json")
    }
}
