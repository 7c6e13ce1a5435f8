// Destinations that are added to a take while it runs, and taken from it.
import KineMedia
import KinePlatform
import KineWire
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct AddedDestinationTests {
    private static func good(_ label: String, service: String = "faults") -> TakeConfiguration.Destination {
        .init(service: service, setupInfo: ["fault": "none"], label: label)
    }

    /// Adds a destination and returns its number.
    private func add(_ destination: TakeConfiguration.Destination, to engine: EngineUnderTest) throws -> Int {
        guard case .destinationAdded(let number) = try engine.ask(.addDestination(destination)).get() else {
            throw CancellationError()
        }
        return number
    }

    /// The reason for which a request is refused.
    private func refusal(of request: ClientRequest, by engine: EngineUnderTest) throws -> String {
        let refusal = #expect(throws: Refusal.self) { try engine.ask(request).get() }
        return try #require(refusal).message
    }

    @Test func `a recording with full range or in 4-4-4 takes no destination, at the start or later`() throws {
        for colour in [ColourFormat(chroma: .yuv444), ColourFormat(isFullRange: true)] {
            try TestPlace.with { place in
                try place.installFaults()
                var configuration = place.faultyTake("none")
                configuration.video.colour = colour
                configuration.output = place.path("a.mp4")
                #expect(throws: TakeConfiguration.Problem.colourOfRecordings) { try configuration.validate() }
                configuration.destinations = []
                let engine = try EngineUnderTest(configuration, in: place)
                try engine.wait("the start") { message -> Bool? in if case .started = message { true } else { nil } }
                let reason = try refusal(of: .addDestination(Self.good("late")), by: engine)
                #expect(reason.contains("are for recordings alone"))
                configuration.output = nil
                #expect(throws: TakeConfiguration.Problem.colourOfRecordings) { try configuration.validate() }
                configuration.clipBuffer = .seconds(5)
                #expect(throws: Never.self) { try configuration.validate() }
            }
        }
    }

    @Test func `one is added and removed, and another gets every sample meanwhile`() throws {
        try TestPlace.with { place in
            try place.installFaults { $0.appAudio = .aac }
            var configuration = place.faultyTake("none")
            configuration.audio.app = .system(required: false)
            let engine = try EngineUnderTest(configuration, in: place)
            try engine.state("now")
            #expect(try add(Self.good("faults"), to: engine) == 1)
            try engine.state("now", of: 1)
            try engine.connection.send(.pause)
            try engine.state("paused", of: 1)
            try engine.connection.send(.resume)
            try engine.state("resumed", of: 1)
            try engine.connection.send(.removeDestination(1))
            #expect(try engine.ended(1).0 == .finished)
            let before = try #require(try engine.status().destinations.first?.statistics.frames)
            try engine.wait("further frames of the other") { _ -> Bool? in
                try? engine.status().destinations.first.flatMap { $0.statistics.frames > before + 10 ? true : nil }
            }
            let summary = try #require(try engine.finish(in: place, exitStatus: 0))
            #expect(summary.destinations.map(\.label) == ["faults", "faults 2"])
            #expect(summary.destinations.map(\.isRemoved) == [false, true])
            #expect(summary.destinations.allSatisfy { $0.ending == .finished && $0.framesSkipped == 0 })
            #expect(summary.destinations.allSatisfy { $0.audioLost == 0 })
            for number in [0, 1] {
                let warnings = engine.kinds(of: number).filter { if case .warning = $0 { true } else { false } }
                #expect(warnings == [])
            }
        }
    }

    @Test func `a take that was only recorded gets encoded, uncompressed and audio-only destinations`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            try place.installFaults {
                $0.id = "raw"
                $0.video = .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil)
            }
            try place.installFaults {
                $0.id = "small"
                $0.video = .raw(pixelFormat: .bgra, maximumSize: PixelSize(width: 64, height: 48), framesPerSecond: 5)
            }
            try place.installFaults {
                $0.id = "sound"
                $0.video = nil
                $0.appAudio = .pcm
            }
            var configuration = place.faultyTake("none")
            configuration.destinations = []
            configuration.audio.app = .system(required: false)
            let engine = try EngineUnderTest(configuration, in: place)
            try engine.wait("the first frame") { if case .started = $0 { true } else { nil } }
            // Two of each kind: the second must not take the first one's frames away.
            for service in ["faults", "raw", "small", "sound", "faults", "raw", "small", "sound"] {
                let number = try add(Self.good(service, service: service), to: engine)
                try engine.state("now", of: number)
            }
            try engine.connection.send(.removeDestination(1))
            #expect(try engine.ended(1).0 == .finished)
            #expect(try add(Self.good("raw", service: "raw"), to: engine) == 8)
            try engine.state("now", of: 8)
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `one that is added in a pause gets samples after it`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            try engine.state("now")
            try engine.connection.send(.annotate(["scene": "3"]))
            try engine.connection.send(.pause)
            try engine.state("paused")
            #expect(try add(Self.good("late"), to: engine) == 1)
            try engine.state("scene 3", of: 1)
            try engine.state("paused", of: 1)
            #expect(engine.kinds(of: 1).contains(.state("now")) == false)
            try engine.connection.send(.resume)
            try engine.state("now", of: 1)
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `one that crashes is told, and neither the take nor another ends`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            try engine.state("now")
            var bad = Self.good("bad")
            bad.setupInfo["fault"] = "crashSample"
            let number = try add(bad, to: engine)
            guard case .crashed = try engine.ended(number).0 else {
                Issue.record("it did not crash")
                return
            }
            let summary = try engine.finish(in: place)
            #expect(summary?.destinations.first?.ending == .finished)
        }
    }

    @Test func `audio that the take does not make is missed in words`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            try place.installFaults {
                $0.id = "sound"
                $0.appAudio = .pcm
            }
            var configuration = place.faultyTake("none", records: false)
            configuration.audio.app = .system(required: false)
            let engine = try EngineUnderTest(configuration, in: place)
            try engine.state("now")
            let number = try add(Self.good("sound", service: "sound"), to: engine)
            try engine.event(of: number, "a warning") { kind -> Bool? in
                guard case .warning(let sentence) = kind else { return nil }
                return sentence.contains("no audio of the applications") ? true : nil
            }
            try engine.state("now", of: number)
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `what cannot be added or removed is refused in words, and the take goes on`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none", records: false), in: place)
            try engine.state("now")
            let stranger = Self.good("x", service: "nobody")
            #expect(
                try refusal(of: .addDestination(stranger), by: engine).contains("There is no service nobody"))
            var wrong = Self.good("x")
            wrong.setupInfo["kye"] = "secret"
            let unknown = try refusal(of: .addDestination(wrong), by: engine)
            #expect(unknown.contains("kye") && !unknown.contains("secret"))
            #expect(try refusal(of: .removeDestination(7), by: engine).contains("there are 0"))
            #expect(try refusal(of: .removeDestination(0), by: engine).contains("last destination"))
            #expect(try add(Self.good("second"), to: engine) == 1)
            #expect(try engine.ask(.removeDestination(0)) == .success(.destinationRemoved(.finished)))
            #expect(try engine.ended(0).0 == .finished)
            #expect(try refusal(of: .removeDestination(0), by: engine).contains("there are 1"))
            try engine.state("now", of: 1)
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `the command adds and removes, in words and in JSON`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let take = try place.start("record", "--pattern", "320x180", "--json", "a.mp4")
            let id = try #require(try take.event("started").id)
            let added = try place.run(
                "destination", "add", id, "--service", "faults", "--set", "fault=none", "--json")
            #expect(added.status == 0, "\(added)")
            #expect(added.events.map(\.event) == ["destinationAdded"] && added.events.first?.label == "Faults")
            try take.event("destination") { $0.kind == "state" && $0.state == "now" }
            try take.event("progress") { $0.destinations?.first?.frames ?? 0 > 0 }
            let removed = try place.run("destination", "remove", String(id.prefix(6)), "0")
            #expect(removed.status == 0 && removed.errors.contains("Destination 0 finished."), "\(removed)")
            let again = try place.run("destination", "remove", "0")
            #expect(again.status == ExitStatus.unavailable && again.errors.contains("no destination 0"), "\(again)")
            let usage = try place.run("destination", "remove", "faults")
            #expect(usage.status == ExitStatus.usage && usage.errors.contains("by its number"))
            try place.run("stop", id)
            #expect(try take.wait().status == 0)
        }
    }
}
