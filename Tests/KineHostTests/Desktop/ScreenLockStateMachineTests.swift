// What a locked screen means for a take, in every order of events up to a length.
import KineMedia
import Testing

@testable import KineHost

@Suite struct ScreenLockStateMachineTests {
    private enum Step: CaseIterable {
        case lock, unlock, begin
        /// The service of the lock goes away.
        case lose
        /// A client pauses or resumes the take, if it is in that state.
        case pause, resume
    }

    /// The machine with a take that does as it says.
    private struct Simulation {
        var machine: ScreenLockStateMachine
        var isLocked = false
        var isLockLost = false
        var hasBegun = false
        var isPaused = false
        /// A client's own pause lasts.
        var isPausedByClient = false

        mutating func take(_ step: Step) {
            switch step {
            case .lock, .unlock:
                (isLocked, isLockLost) = (step == .lock, false)
                give(.lockChanged(isLocked: isLocked))
            case .lose:
                isLockLost = isLocked
                give(.lockLost)
            case .begin where !hasBegun:
                hasBegun = true
                give(.began)
            case .pause where hasBegun && !isPaused:
                (isPaused, isPausedByClient) = (true, true)
                give(.paused)
            case .pause where hasBegun:
                #expect(machine.takeOverPause() == !isPausedByClient)
                isPausedByClient = true
            case .resume where hasBegun && isPaused:
                (isPaused, isPausedByClient) = (false, false)
                if isLockLost { (isLocked, isLockLost) = (false, false) }
                give(.resumed)
            case .begin, .pause, .resume: break
            }
        }

        private mutating func give(_ event: ScreenLockStateMachine.Event) {
            for action in machine.handle(event) {
                switch action {
                case .announce(let isLocked): #expect(isLocked == self.isLocked)
                case .uncover: #expect(hasBegun && !isLocked)
                case .pause:
                    #expect(hasBegun && !isPaused && isLocked)
                    isPaused = true
                    give(.paused)
                case .resume:
                    #expect(isPaused && !isPausedByClient && !isLocked, "only the lock's own pause is lifted")
                    isPaused = false
                    give(.resumed)
                }
            }
        }
    }

    @Test(arguments: TakeConfiguration.WhenLocked.allCases)
    func `a take pauses for the lock alone, in every order of events`(whenLocked: TakeConfiguration.WhenLocked) {
        let steps = Step.allCases
        let length = 7
        let count = (0..<length).reduce(1) { count, _ in count * steps.count }
        for number in 0..<count {
            var simulation = Simulation(machine: ScreenLockStateMachine(whenLocked))
            var rest = number
            for _ in 0..<length {
                simulation.take(steps[rest % steps.count])
                rest /= steps.count
            }
            let isRunning = simulation.hasBegun && !simulation.isPaused
            var isRight = simulation.machine.isCardShown == (isRunning && simulation.isLocked)
            // Without a lock, only a client's pause is left.
            if !simulation.isLocked { isRight = isRight && simulation.isPaused == simulation.isPausedByClient }
            if whenLocked == .keepRunning { isRight = isRight && simulation.isPaused == simulation.isPausedByClient }
            guard isRight else {
                Issue.record("sequence \(number)")
                return
            }
        }
    }

    @Test func `a take that is resumed while the screen is locked goes on with the card, and unlocking leaves it`() {
        var machine = ScreenLockStateMachine(.pause)
        _ = machine.handle(.began)
        #expect(machine.handle(.lockChanged(isLocked: true)) == [.announce(isLocked: true), .pause])
        #expect(!machine.isCardShown)
        #expect(machine.handle(.resumed) == [])
        #expect(machine.isCardShown)
        #expect(machine.handle(.lockChanged(isLocked: false)) == [.announce(isLocked: false)])
    }

    @Test func `a take that begins while the screen is locked pauses at once`() {
        var machine = ScreenLockStateMachine(.pause)
        #expect(machine.handle(.lockChanged(isLocked: true)) == [.announce(isLocked: true)])
        #expect(machine.handle(.began) == [.pause])
        #expect(machine.handle(.lockChanged(isLocked: false)) == [.announce(isLocked: false), .resume])
    }
}
