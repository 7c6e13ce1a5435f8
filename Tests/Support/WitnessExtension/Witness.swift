// An extension for tests that says which of its callbacks were called, in words that the events of `--json` carry.
import Glibc
import KinecastExtension

@main
final class Witness: BroadcastSampleHandler {
    private var seen: Set<SampleBufferType> = []

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        if let reason = setupInfo["fail"] { throw Refusal(description: reason) }
        if let times = setupInfo["crash"].flatMap(Int.init), crashes() < times {
            noteCrash()
            fatalError("as asked")
        }
        if let link = setupInfo["link"] { announce(link: link) }
        if let room = setupInfo["info"] { updateServiceInfo(["room": room]) }
        let told = setupInfo.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        report(state: "started with \(told.joined(separator: " "))")
    }

    /// How often it has crashed so far, in all of its processes: the length of a file.
    private func crashes() -> Int {
        guard let path = Self.crashFile, let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        return ftell(file)
    }

    private func noteCrash() {
        guard let path = Self.crashFile, let file = fopen(path, "a") else { return }
        fputs("x", file)
        fclose(file)
    }

    private static var crashFile: String? { PassedFiles.dataDirectory.map { "\($0)/crashes" } }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        if seen.insert(sampleBufferType).inserted { report(state: "first \(sampleBufferType)") }
        viewers = seen.count
    }

    override func broadcastPaused() async { report(state: "paused") }

    override func broadcastResumed() async { report(state: "resumed") }

    override func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {
        report(state: "annotated with \(applicationInfo["title"] ?? "nothing")")
    }

    override func broadcastScreenLocked(_ isLocked: Bool) async {
        report(state: isLocked ? "screen locked" : "screen unlocked")
    }

    override func broadcastFinished() async { report(state: "finished") }
}

struct Refusal: Error, CustomStringConvertible {
    var description: String
}
