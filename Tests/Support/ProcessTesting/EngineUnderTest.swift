// A real engine, driven by its control channel as a client drives it.
import Glibc
import KineMedia
import KinePlatform
import KineWire
import SystemPackage
import Testing

/// An engine that was started for a take. Reads what it says while waiting for something; never waits without a deadline.
package final class EngineUnderTest {
    package struct TookTooLong: Error {
        package var waitingFor: String
        package var heard: [EngineEvent]
    }

    /// An event and when it was read: CLOCK_MONOTONIC, nanoseconds.
    package struct Heard {
        package var event: EngineEvent
        package var at: Int64
    }

    package let process: ChildProcess
    package let connection: ClientConnection
    package private(set) var heard: [Heard] = []
    private var answers: [Int: Result<EngineReply, Refusal>] = [:]
    private var lastRequest = 0

    package init(
        _ configuration: TakeConfiguration, confinement: ConfinementRequest = ConfinementRequest(),
        in place: TestPlace, environment: [String] = []
    ) throws {
        let (connection, engineEnd) = try ClientConnection.pair()
        defer { try? engineEnd.close() }
        self.connection = connection
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, .standardError, engineEnd]
        options.newSession = true
        process = try ChildProcess(
            executable: RunningKinecast.sibling("kinecast-engine"), arguments: [],
            environment: ProcessEnvironment.merging(place.environment, environment), options: options)
        try connection.send(.start(configuration, confinement: confinement))
    }

    /// Waits for the first event that `match` accepts, from the beginning.
    @discardableResult
    package func wait<Found>(_ what: String, for match: (EngineEvent) -> Found?) throws -> (Found, at: Int64) {
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        var next = 0
        while true {
            while next < heard.count {
                if let found = match(heard[next].event) { return (found, heard[next].at) }
                next += 1
            }
            try read(until: deadline, waitingFor: what)
        }
    }

    /// Sends a request, and returns the number by which it is answered.
    package func send(_ request: ClientRequest) throws -> Int {
        lastRequest += 1
        try connection.send(request, id: lastRequest)
        return lastRequest
    }

    package func answer(to id: Int) throws -> Result<EngineReply, Refusal> {
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        while true {
            if let answer = answers[id] { return answer }
            try read(until: deadline, waitingFor: "the answer to request \(id)")
        }
    }

    /// Sends a request and waits for its answer.
    package func ask(_ request: ClientRequest) throws -> Result<EngineReply, Refusal> {
        try answer(to: send(request))
    }

    private func read(until deadline: Int64, waitingFor what: String) throws {
        let messages = try? connection.receive(until: deadline)
        guard let messages, !messages.isEmpty else {
            process.signal(SIGKILL)
            throw TookTooLong(waitingFor: what, heard: heard.map(\.event))
        }
        let now = MonotonicClock.now()
        for message in messages {
            switch message {
            case .event(let event): heard.append(Heard(event: event, at: now))
            case .answer(let id, let result): answers[id] = result
            }
        }
    }

    /// Waits for an event of a destination.
    @discardableResult
    package func event<Found>(
        of destination: Int = 0, _ what: String, for match: (DestinationEvent.Kind) -> Found?
    ) throws -> (Found, at: Int64) {
        try wait(what) { message in
            guard case .destination(let event) = message, event.destination == destination else { return nil }
            return match(event.kind)
        }
    }

    /// Waits until a destination is in that phase, counting from the beginning.
    package func phase(_ phase: DestinationPhase, of destination: Int = 0) throws {
        try event(of: destination, "\(phase)") { $0 == .phase(phase) ? true : nil }
    }

    /// Waits for those words of an extension; returns when they were heard.
    @discardableResult
    package func state(_ state: String, of destination: Int = 0) throws -> Int64 {
        try event(of: destination, state) { $0 == .state(state) ? true : nil }.at
    }

    /// Waits until a destination is over for good; returns how, and when it was heard.
    package func ended(_ destination: Int = 0) throws -> (DestinationEnding, at: Int64) {
        try event(of: destination, "the end of the destination") {
            if case .ended(let ending) = $0 { ending } else { nil }
        }
    }

    /// The kinds of events of a destination that were heard, phases left out.
    package func kinds(of destination: Int = 0) -> [DestinationEvent.Kind] {
        heard.compactMap {
            guard case .destination(let event) = $0.event, event.destination == destination else { return nil }
            if case .phase = event.kind { return nil }
            return event.kind
        }
    }

    /// How often that was heard of the first destination.
    package func count(of kind: DestinationEvent.Kind) -> Int { kinds().count { $0 == kind } }

    package func status() throws -> TakeStatus {
        guard case .status(let status) = try ask(.status).get() else { throw CancellationError() }
        return status
    }

    package struct Ended {
        package var summary: TakeSummary?
        package var failure: TakeFailure?
        package var exitStatus: Int32
    }

    /// Lets the take go on for a moment after what happened, and stops it. Checks that the recording is there from the beginning
    /// to the end.
    @discardableResult
    package func finish(
        in place: TestPlace, exitStatus: Int32 = ExitStatus.destinationFailed
    ) throws -> TakeSummary? {
        let before = try status().progress.duration.seconds
        try wait("progress") { message in
            if case .progress(let progress) = message, progress.duration.seconds > before + 0.3 { true } else { nil }
        }
        let ended = try stop()
        #expect(ended.exitStatus == exitStatus)
        let summary = try #require(ended.summary)
        #expect(ended.failure == nil, "the recording is reported as finished")
        let duration = try TakeFile.finishedDuration(place.path("a.mp4"))
        #expect(duration >= before + 0.3 && abs(duration - summary.progress.duration.seconds) < 0.1)
        return summary
    }

    /// Asks for the end of the take, and waits for it.
    package func stop() throws -> Ended {
        try connection.send(.stop(immediately: false))
        return try end()
    }

    /// Waits for the end of the take and of the process.
    package func end() throws -> Ended {
        let last = try wait("the end") { event -> EngineEvent? in
            switch event {
            case .finished, .failed: event
            default: nil
            }
        }.0
        let status: Int32 =
            switch process.end(signal: 0, deadline: MonotonicClock.now() + RunningKinecast.timeout) {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        switch last {
        case .finished(let summary): return Ended(summary: summary, failure: nil, exitStatus: status)
        case .failed(let failure): return Ended(summary: failure.summary, failure: failure, exitStatus: status)
        default: return Ended(summary: nil, failure: nil, exitStatus: status)
        }
    }
}
