// An extension with faults: each is chosen by the setup info, so that one executable is every bad neighbour that the
// end-to-end tests need. What they do is on purpose; see the names of the modes in FaultMode.
import Glibc
import KinecastExtension

/// What goes wrong.
enum FaultMode: String {
    /// Nothing: a good extension, which says what it is called for.
    case none
    case crashStarted, crashSample, crashPaused, crashResumed, crashAnnotated, crashFinished
    case throwAtStart, neverStart
    /// Memory: `rate` MB a second, all that there is at once, in a process of its own, or as tables of pages.
    case leak, leakAtOnce, leakInChild, leakTables
    case startThreads
    /// A sample is never given back, with and without work.
    case spin, hold
    /// Other processes are left behind: a child; one in a session of its own; one that also hides whose it is.
    case fork, forkSession, forkHidden
    case closeDescriptors, garbageOnControl, garbageInRing
    case neverFinish, exitInTheMiddle, failInTheMiddle
    /// As the library lets it, and as fast as the socket takes it.
    case talkWithoutEnd, floodControl
    /// Says of itself as much as fits in a message.
    case longInfo
    /// Looks at its surroundings and reports them.
    case lookAround
}

@main final class Faults: BroadcastSampleHandler {
    private var mode = FaultMode.none
    private var setup: [String: String] = [:]
    private var samples = 0
    private var isPaused = false
    /// The end of the last access unit of audio.
    private var audioEnd: MediaTime?

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        setup = setupInfo
        mode = FaultMode(rawValue: setupInfo["fault"] ?? "") ?? .none
        switch mode {
        case .crashStarted: crash()
        case .throwAtStart: throw Refusal()
        case .neverStart: FaultyBehaviour.sleepForEver()
        case .lookAround: for line in Surroundings.describe() { report(state: line) }
        default: break
        }
    }

    override func broadcastPaused() async {
        isPaused = true
        if mode == .crashPaused { crash() } else { report(state: "paused") }
    }

    override func broadcastResumed() async {
        isPaused = false
        if mode == .crashResumed { crash() } else { report(state: "resumed") }
    }

    override func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {
        // The engine tells what the source is by itself; the tests mean what they tell.
        guard let scene = applicationInfo["scene"] else { return }
        if mode == .crashAnnotated { crash() } else { report(state: "scene \(scene)") }
    }

    override func broadcastFinished() async {
        switch mode {
        case .crashFinished: crash()
        case .neverFinish: FaultyBehaviour.sleepForEver()
        default: break
        }
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        samples += 1
        noteGap(before: sampleBuffer, sampleBufferType)
        if isPaused { warn("a sample of \(sampleBufferType) in a pause") }
        guard samples == 3 else { return }
        // From here on the tests take the time.
        report(state: "now")
        switch mode {
        case .crashSample: crash()
        case .leak: FaultyBehaviour.leak(megabytesPerSecond: Int(setup["rate"] ?? "") ?? 1)
        case .leakAtOnce: FaultyBehaviour.leakAtOnce()
        case .leakInChild: FaultyBehaviour.leakInChild()
        case .leakTables: FaultyBehaviour.leakTables()
        case .startThreads: FaultyBehaviour.startThreads()
        case .longInfo: FaultyBehaviour.sendLongInfo()
        case .spin: while true {}
        case .hold: FaultyBehaviour.sleepForEver()
        case .fork: FaultyBehaviour.run("sleep 1000; : \(setup["token"] ?? "")")
        case .forkSession: FaultyBehaviour.run("setsid sh -c 'sleep 1000; : \(setup["token"] ?? "")' &")
        case .forkHidden: FaultyBehaviour.run("env -i setsid sh -c 'sleep 1000; : \(setup["token"] ?? "")' &")
        case .closeDescriptors: for descriptor in 0..<1024 { close(Int32(descriptor)) }
        case .garbageOnControl: FaultyBehaviour.writeGarbageOnControl()
        case .garbageInRing:
            FaultyBehaviour.writeGarbageInRing()
            // Else the library would put its own position there again before anybody has looked.
            FaultyBehaviour.sleepForEver()
        case .exitInTheMiddle: _exit(0)
        case .failInTheMiddle: finishBroadcastWithError(Refusal())
        case .floodControl: FaultyBehaviour.floodControl()
        case .talkWithoutEnd: for word in 0... { report(state: "word \(word)") }
        default: break
        }
    }

    /// Access units of audio follow each other without a gap, also over a pause.
    private func noteGap(before sample: borrowing SampleBuffer, _ type: SampleBufferType) {
        guard type == .audioApp else { return }
        let distance = (sample.presentationTime - (audioEnd ?? sample.presentationTime)).nanoseconds
        if abs(distance) > 1000 { warn("a gap of \(distance) ns in the audio") }
        audioEnd = sample.presentationTime + sample.duration
    }

    private func crash() -> Never {
        report(state: "now")
        fatalError("as asked")
    }
}

struct Refusal: Error, CustomStringConvertible {
    var description: String { "The server does not like this test; use another." }
}
