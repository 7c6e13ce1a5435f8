// The Swift sources of a new extension's package: a handler with a visible result, and its test.

extension ExtensionPackage {
    var handler: String {
        #"""
        // Receives a broadcast, and reports once a second what came. This is where an upload begins: connect in broadcastStarted,
        // send in processSampleBuffer, and end in broadcastFinished.
        import KinecastExtension

        @main
        final class \#(name.module)Handler: BroadcastSampleHandler {
            private var level = Level()
            /// Seconds between two reports.
            private var interval = 1.0
            /// The time of the sample before which the last report was made, in seconds.
            private var since: Double?

            /// The user's settings, by the keys of manifest.json. Throw where one cannot be used: the sentence is shown.
            override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
                let text = setupInfo["every"] ?? "1"
                guard let seconds = Double(text), seconds >= 0.1, seconds <= 3600 else {
                    throw SetupError(description: "The setting every is \(text); give seconds from 0.1 to 3600.")
                }
                interval = seconds
            }

            /// One sample at a time, in order. It is borrowed: copy what is needed later.
            override func processSampleBuffer(
                _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
            ) async {
                let time = sampleBuffer.presentationTime.seconds
                let start = since ?? time
                if time - start >= interval {
                    report(state: level.summary(seconds: time - start))
                    level = Level()
                    since = time
                } else {
                    since = start
                }
                switch sampleBufferType {
                case .video: \#(wantsRawFrames ? "_ = sampleBuffer.withPixels { level.addFrame($0) }" : "level.addFrame(bytes: sampleBuffer.byteCount)")
                case .audioApp, .audioMic: sampleBuffer.withBytes { level.addAudio($0) }
                }
            }

            override func broadcastPaused() async { report(state: "paused") }

            override func broadcastResumed() async { report(state: "on") }

            /// `kinecast annotate title=…` gets here.
            override func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {
                if let title = applicationInfo["title"] { report(state: "showing \(title)") }
            }

            /// Uploads are completed here; manifest.json's finishSeconds is how long that may take.
            override func broadcastFinished() async { report(state: "done") }
        }

        struct SetupError: Error, CustomStringConvertible {
            var description: String
        }

        """#
    }

    var level: String {
        let videoMembers =
            wantsRawFrames
            ? #"""
            private(set) var frames = 0
            /// Sum of the frames' brightness, each from 0 to 1.
            private var brightness = 0.0

            /// Looks at every eighth pixel of every eighth row: enough for an average.
            mutating func addFrame(_ pixels: borrowing PixelBuffer) {
                let luma = pixels[plane: 0]
                var sum = 0
                var count = 0
                for row in stride(from: 0, to: luma.rows, by: 8) {
                    let bytes = luma.row(row)
                    for column in stride(from: 0, to: bytes.count, by: 8) {
                        sum += Int(bytes[column])
                        count += 1
                    }
                }
                frames += 1
                // Black is 16 and white is 235 (ITU-R BT.709, limited range).
                if count > 0 { brightness += min(1, max(0, (Double(sum) / Double(count) - 16) / 219)) }
            }
            """#
            : #"""
            private(set) var frames = 0
            private(set) var bytes = 0

            mutating func addFrame(bytes count: Int) {
                frames += 1
                bytes += count
            }
            """#
        let videoText =
            wantsRawFrames
            ? #"let video = "brightness \(frames > 0 ? Int((brightness / Double(frames) * 100).rounded()) : 0) %""#
            : #"let video = "\(Int(Double(bytes) / 1000 / seconds)) kB/s""#
        return #"""
            // Counts the frames of a stretch of time, and measures how loud its audio was.
            import Glibc
            import KinecastExtension

            struct Level {
            \#(Self.indented(videoMembers))

                private var squares = 0.0
                private var samples = 0

                /// Audio as 32-bit floats within ±1.
                mutating func addAudio(_ bytes: RawSpan) {
                    let size = MemoryLayout<Float>.size
                    for offset in stride(from: 0, to: bytes.byteCount - size + 1, by: size) {
                        let sample = Double(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Float.self))
                        squares += sample * sample
                        samples += 1
                    }
                }

                /// Decibels below full scale; nil where there was no audio, or silence.
                var decibels: Double? {
                    guard samples > 0, squares > 0 else { return nil }
                    return 10 * log10(squares / Double(samples))
                }

                /// A few words on a stretch of so many seconds.
                func summary(seconds: Double) -> String {
                    let rate = Int((Double(frames) / seconds).rounded())
                    \#(videoText)
                    let audio = decibels.map { "\(Int($0.rounded())) dB" } ?? "silent"
                    return "\(rate) frames/s, \(video), \(audio)"
                }
            }

            """#
    }

    var test: String {
        let video =
            wantsRawFrames
            ? ".raw(.i420, PixelSize(width: 320, height: 180))" : ".encoded(PixelSize(width: 64, height: 48))"
        return #"""
            // Feeds the handler as an engine does, in this process: it needs no display, no sound card and no waiting.
            import KinecastExtension
            import KinecastExtensionTesting
            import Testing

            @testable import \#(name.module)

            // Handlers run on this actor, so their properties can be looked at here.
            @BroadcastActor
            @Suite struct \#(name.module)Tests {
                typealias Rehearsal = ExtensionRehearsal<\#(name.module)Handler>

                /// The samples that manifest.json asks for.
                let feed = RehearsalFeed(video: \#(video), appAudio: .pcm)

                func states(_ rehearsal: Rehearsal) -> [String] {
                    rehearsal.reports.compactMap { if case .state(let state) = $0 { state } else { nil } }
                }

                @Test func `says once a second how much came and how loud it was`() async throws {
                    let rehearsal = try Rehearsal(feed: feed)
                    try await rehearsal.start()
                    try await rehearsal.sendFrames(31)
                    #expect(states(rehearsal).last?.hasPrefix("30 frames/s, ") == true)
                    #expect(states(rehearsal).last?.hasSuffix(", silent") == true)
                    // The tone of a rehearsal is a triangle of half the full scale, √3 below its peak.
                    try await rehearsal.sendAudio(.audioApp, duration: .seconds(2.1))
                    #expect(states(rehearsal).last?.hasSuffix(", -11 dB") == true)
                    #expect(await rehearsal.finish() == .finished)
                }

                @Test func `what happens to the broadcast is reported`() async throws {
                    let rehearsal = try Rehearsal(feed: feed)
                    try await rehearsal.start(setupInfo: ["every": "0.5"])
                    try await rehearsal.pause()
                    try await rehearsal.resume()
                    try await rehearsal.annotate(["title": "Second half"])
                    #expect(await rehearsal.finish() == .finished)
                    #expect(states(rehearsal) == ["paused", "on", "showing Second half", "done"])
                }

                @Test func `a setting that cannot be used is refused with a sentence`() async throws {
                    let rehearsal = try Rehearsal(feed: feed)
                    let sentence = "The setting every is often; give seconds from 0.1 to 3600."
                    await #expect(throws: Rehearsal.Error.failed(sentence)) {
                        try await rehearsal.start(setupInfo: ["every": "often"])
                    }
                }
            }

            """#
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
}
