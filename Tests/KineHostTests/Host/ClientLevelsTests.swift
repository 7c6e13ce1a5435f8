// Which client is sent which levels, over connections of the test's.
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineHost
@testable import KineWire

@Suite struct ClientLevelsTests {
    private struct Pair {
        let client: ClientConnection
        let engine: EngineConnection

        init() throws {
            let (near, far) = try ClientConnection.pair()
            (client, engine) = (near, try EngineConnection(adopting: far))
        }

        func received() throws -> [AudioLevels] {
            try client.readAvailable().compactMap {
                if case .event(.audioLevels(let levels)) = $0 { levels } else { nil }
            }
        }
    }

    private static let loud = AudioLevels(app: 0.5, microphone: 0.25)
    private static let silent = AudioLevels(app: 0, microphone: 0)

    @Test func `each client that asks is sent each change once, until it ends that or leaves`() throws {
        let (first, second) = (try Pair(), try Pair())
        var levels = ClientLevels()
        var isOver = false
        /// What each of them is sent.
        func poll() throws -> [[AudioLevels]] {
            isOver = levels.poll()
            return [try first.received(), try second.received()]
        }
        #expect(try poll() == [[], []])
        levels.add(first.engine, without: [])
        levels.tell(Self.loud)
        #expect(try poll() == [[Self.loud], []])
        // It comes later, and is sent what has not changed.
        levels.add(second.engine, without: [])
        levels.tell(Self.loud)
        #expect(try poll() == [[], [Self.loud]])
        #expect(try poll() == [[], []])
        levels.tell(Self.silent)
        #expect(try poll() == [[Self.silent], [Self.silent]])
        levels.remove(first.engine)
        levels.tell(Self.loud)
        #expect(try poll() == [[], [Self.loud]])
        #expect(levels.areWanted && !isOver)
        second.engine.close()
        isOver = levels.poll()
        #expect(isOver && !levels.areWanted)
        isOver = levels.poll()
        #expect(!isOver)
    }

    @Test func `a client that reads nothing is sent the newest levels once it has read the rest`() throws {
        let slow = try Pair()
        var levels = ClientLevels()
        levels.add(slow.engine, without: [])
        let warning = EngineMessage.event(.warning(String(repeating: "x", count: 60_000)))
        while !slow.engine.isPeerBehind { slow.engine.tell(warning) }
        for level in 1...1000 {
            levels.tell(AudioLevels(app: Double(level) / 1000))
            _ = levels.poll()
        }
        levels.tell(Self.silent)
        var received: [AudioLevels] = []
        try wait("the levels") {
            received += try slow.received()
            _ = try slow.engine.flush()
            _ = levels.poll()
            return !received.isEmpty
        }
        #expect(received == [Self.silent])
    }

    @Test func `a client does not notice the levels that it may not have`() throws {
        let (noScreen, noMicrophone, nothing) = (try Pair(), try Pair(), try Pair())
        var levels = ClientLevels()
        levels.add(noScreen.engine, without: [.screen])
        levels.add(noMicrophone.engine, without: [.microphone])
        levels.add(nothing.engine, without: [.screen, .microphone])
        for microphone in [0.1, 0.2, 0.3] {
            levels.tell(AudioLevels(app: 0.5, microphone: microphone))
            _ = levels.poll()
        }
        #expect(try noScreen.received() == [0.1, 0.2, 0.3].map { AudioLevels(microphone: $0) })
        #expect(try noMicrophone.received() == [AudioLevels(app: 0.5)])
        #expect(try nothing.received() == [AudioLevels()])
        // It was permitted since, and asks again.
        levels.add(noMicrophone.engine, without: [])
        levels.tell(Self.loud)
        _ = levels.poll()
        #expect(try noMicrophone.received() == [Self.loud])
    }
}
