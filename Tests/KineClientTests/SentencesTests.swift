// The sentences and numbers that people read.
import KineMedia
import KineTakes
import KineWire
import SystemPackage
import Testing

@testable import KineClient
@testable import KineContainers

@Suite struct SentencesTests {
    @Test func `times are clocks while they run and lengths in sentences`() {
        #expect([0, 7.9, 61, 3723].map { Quantity.clock(.seconds($0)) } == ["0:00", "0:07", "1:01", "1:02:03"])
        #expect(
            [0, 7.44, 59.96, 61, 754.45, 754.5, 3723.2].map { Quantity.length(.seconds($0)) } == [
                "0.0 s", "7.4 s", "1 min 0 s", "1 min 1 s", "12 min 34 s", "12 min 35 s", "1 h 2 min 3 s",
            ])
    }

    @Test func `a chapter is a line of YouTube's form`() {
        let chapters = [(0.0, "Start"), (754.9, "b"), (3723.0, "1:2 c")].map { Chapter(start: .seconds($0), title: $1) }
        #expect(chapters.map(EditSentences.chapter) == ["0:00 Start", "12:34 b", "1:02:03 1:2 c"])
    }

    @Test func `sizes are powers of ten`() {
        #expect(
            [0, 999, 1000, 999_949, 999_950, 12_345_678, 5_000_000_000].map { Quantity.bytes($0) } == [
                "0 bytes", "999 bytes", "1.0 kB", "999.9 kB", "1.0 MB", "12.3 MB", "5.0 GB",
            ])
    }

    @Test(arguments: [
        (DestinationEnding.failed("The server refuses the key."), "x failed: The server refuses the key"),
        (.crashed("signal 11"), "x crashed (signal 11)"),
        (.memoryLimitExceeded(peak: 53 << 20, limit: 50 << 20), "x used 53 MB of memory, and 50 MB is its limit"),
        (.stalled("held a sample for 5 s"), "x stalled: held a sample for 5 s"),
    ])
    func `each way to end has its own sentence`(ending: DestinationEnding, words: String) {
        func warning(_ kind: DestinationEvent.Kind) -> String? {
            let event = DestinationEvent(destination: 0, label: "x", kind: kind)
            let sentence = DestinationSentences.sentence(event, isKnownLive: true)
            return sentence?.isWarning == true ? sentence?.text : nil
        }
        #expect(warning(.ended(ending)) == "\(words); this destination is over.")
        #expect(warning(.restarting(after: ending)) == "\(words); it is started again.")
    }

    @Test func `an extension's words stay on one line and cannot move the cursor`() {
        let event = DestinationEvent(destination: 0, label: "x", kind: .state("on\u{1b}[2J\nair\r\n."))
        #expect(DestinationSentences.sentence(event, isKnownLive: true)?.text == "x: on [2J air.")
    }

    @Test func `the summary has a line for each destination`() {
        var status = DestinationStatus(destination: 0, service: "live", label: "live", phase: .ended)
        status.ending = .finished
        status.statistics.frames = 90
        status.statistics.sentBytes = 1_500_000
        status.peakMemory = 18 << 20
        status.restarts = 1
        status.audioLost = 0.25
        var summary = TakeSummary(
            output: nil, size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
        summary.progress.duration = .seconds(3)
        summary.destinations = [status]
        summary.pausedByLock = 83.2
        #expect(
            TakeSentences.summary(summary) == [
                "Broadcast 3.0 s, 640x480; 0 frames drawn, 0 skipped as unchanged, 0 dropped; paused for 1 min 23 s by the screen's lock (stopped).",
                "live: finished, 90 frames, 1.5 MB sent, 0.3 s of audio lost, started again once, at most 18 MB.",
            ])
        #expect(
            TakeSentences.summary(summary, told: "stopped").first
                == "Broadcast 3.0 s, 640x480; 0 frames drawn, 0 skipped as unchanged, 0 dropped; paused for 1 min 23 s by the screen's lock."
        )
    }

    @Test(arguments: [
        (nil, "."), (15, "."), (14.2, ", and so begins 0.8 s earlier than asked, at the keyframe before."),
        (60, "; that is all there is, 45.0 s less than asked."),
    ])
    func `a clip says how long it is, and where it begins if not as asked`(asked: Double?, ending: String) {
        let clip = ExportedClip(
            output: "/tmp/a.mp4", start: .seconds(85), duration: .seconds(15),
            askedDuration: asked.map(MediaTime.seconds), bytes: 1_500_000, frames: 450)
        #expect(TakeSentences.clip(clip) == "Saved /tmp/a.mp4: the last 15.0 s, 1.5 MB" + ending)
    }

    @Test func `a take without a file and without destinations was captured`() throws {
        let summary = TakeSummary(
            output: nil, size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
        #expect(try #require(TakeSentences.summary(summary).first).hasPrefix("Captured 0.0 s, 640x480; "))
    }

    @Test func `the files of a split recording are counted`() throws {
        var summary = TakeSummary(
            output: "/a-001.mp4", size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
        summary.files = ["/a-001.mp4"]
        #expect(try #require(TakeSentences.summary(summary).first).hasPrefix("Saved /a-001.mp4: "))
        summary.files?.append("/a-002.mp4")
        #expect(
            try #require(TakeSentences.summary(summary).first).hasPrefix("Saved 2 files, /a-001.mp4 to /a-002.mp4: "))
    }

    static let saved = RecoveredFile(
        bytes: 1_500_000, duration: .seconds(3), frames: 90, audioAccessUnits: 0, wasAlreadyFinished: false,
        skippedBytes: 0)

    @Test(arguments: [
        (
            EngineDeath.File.recovered(path: "/a.mp4", saved),
            "; what was recorded is saved in /a.mp4: 3.0 s, 1.5 MB."
        ),
        (
            .unrecoverable(.notARecording(path: "/a.mp4")),
            ", and its file cannot be finished: /a.mp4 is not a recording of Kinecast's, or its beginning is damaged: "
                + "it was left as it is."
        ),
        (.olderKept(path: "/a.mp4"), " before anything was on the disk; /a.mp4 is still the older file."),
        (.notRecorded, ", and the take is over; there is no file to save."),
        (.notBegun, " before anything was recorded; kinecast doctor may say why."),
        (.leftAlone(path: "/a.mp4"), "; if /a.mp4 does not play, kinecast recover finishes it."),
        (.leftAlone(path: nil), "; kinecast status shows what runs."),
    ])
    func `an engine's death is told with what became of the file`(file: EngineDeath.File, words: String) {
        let aborted = EngineDeath(cause: .aborted, ending: .killed(signal: 9), file: file)
        #expect(
            TakeSentences.death(aborted)
                == "The engine was ended immediately, as asked" + words)
        let died = EngineDeath(cause: .died, ending: .exited(status: 3), stderrTail: "Fatal error: no", file: file)
        #expect(
            TakeSentences.death(died)
                == "The engine died (exit status 3; its last words: Fatal error: no)" + words)
    }

    @Test func `a recovered file is told with what was lost of it`() {
        var saved = Self.saved
        #expect(TakeSentences.recovery(of: "a.mp4", saved) == "Recovered a.mp4: 3.0 s, 1.5 MB, 90 frames.")
        saved.skippedBytes = 1000
        #expect(
            TakeSentences.recovery(of: "a.mp4", saved).hasSuffix(
                "90 frames; 1.0 kB at the end were damaged or cut off."))
        saved.wasAlreadyFinished = true
        #expect(
            TakeSentences.recovery(of: "a.mp4", saved)
                == "a.mp4 is finished already: 3.0 s, 1.5 MB, 90 frames; nothing was changed.")
        saved.missesEndOf = .seconds(8)
        #expect(
            TakeSentences.recovery(of: "a.mp4", saved)
                == "a.mp4 was finished, but its end is missing: 3.0 s, 1.5 MB, 90 frames of 8.0 s are there; "
                + "copy it again from where it is whole.")
    }

    @Test(arguments: [
        (
            ClientError.engineCannotStart(executable: "/e", .system(.permissionDenied)),
            "The engine /e cannot be started: Permission denied; check its permissions and ulimit."
        ),
        (
            .noAnswer(.init(id: "abc", pid: 7, output: nil)),
            "Take abc (process 7) does not answer; try again, or kinecast stop --now abc ends it and saves what was recorded."
        ),
        (
            .endedWithoutAnswer(.init(id: "abc", pid: 7, output: "/a.mp4")),
            "Take abc ended without an answer; if /a.mp4 does not play, kinecast recover finishes it."
        ),
        (
            .endedWithoutAnswer(.init(id: "abc", pid: 7, output: nil)),
            "Take abc ended without an answer; kinecast status shows what runs."
        ),
        (.refused(Refusal(.unavailable, "It does not pause.")), "It does not pause."),
        (.registry(.nothingRuns), "No take is running; kinecast record starts one."),
        (
            .recovery(.nothingRecorded(path: "a")),
            "a ends before its first frame: there is nothing to recover, delete it."
        ),
    ])
    func `an error is one sentence that says what to do`(error: ClientError, sentence: String) {
        #expect(error.description == sentence)
    }

    @Test func `an engine of another version has an error of its own, wherever it shows`() {
        let control = ControlError.protocolError(.version(theirs: 9))
        #expect(ClientError(control) == .otherVersion(theirs: 9))
        #expect(ClientError(TakeRegistry.Error.control(control)) == .otherVersion(theirs: 9))
        #expect(ClientError(control).description == control.description)
        #expect(ClientError(TakeRegistry.Error.control(.peerTooSlow)) == .control(.peerTooSlow))
    }
}
