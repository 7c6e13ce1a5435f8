// Runs a service's setup program: a thread drives the process and its state machine, a task the presenter.
import Glibc
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

final class SetupRun: Sendable {
    private let service: BroadcastService
    private let program: FilePath
    private let app: AppIdentity
    private let limits: SetupLimits
    private let environment: [String]
    /// Sent from the person's task to the thread.
    private let inputs = Mailbox<SetupStateMachine.Input>()
    /// The machine's actions for the presenter.
    private let prompts: AsyncStream<SetupStateMachine.Action>
    private let promptsIn: AsyncStream<SetupStateMachine.Action>.Continuation

    init(
        _ service: BroadcastService, program: FilePath, app: AppIdentity, limits: SetupLimits, environment: [String]
    ) {
        self.environment = environment
        self.service = service
        self.program = program
        self.app = app
        self.limits = limits
        (prompts, promptsIn) = AsyncStream.makeStream()
    }

    /// Runs the program until it ends; its process is gone when this returns. Cancelling the task cancels the program.
    func run(_ presenter: any BroadcastPresenter) async throws(BroadcastError) -> SetupOutcome {
        let asking = Task { await ask(presenter) }
        let result: Result<SetupOutcome, BroadcastError>
        do throws(BroadcastError) {
            let outcome = try await BlockingCall.run("kine-setup") { [self] () throws(BroadcastError) in
                try drive()
            } onCancel: {
                post(.cancelled(.cancelled))
            }
            result = .success(outcome)
        } catch {
            result = .failure(error)
        }
        promptsIn.finish()
        // Removes a form that is still shown.
        asking.cancel()
        await asking.value
        return try result.get()
    }

    // MARK: The person's side

    private func ask(_ presenter: any BroadcastPresenter) async {
        var question: Task<Void, Never>?
        for await prompt in prompts {
            switch prompt {
            case .ask(let form, let number):
                question = Task {
                    do throws(BroadcastError) {
                        post(.answered(try await presenter.fillIn(form), question: number))
                    } catch {
                        post(.cancelled(error))
                    }
                }
            case .showLogin(let url):
                await presenter.showLogin(url, for: service) { [self] in
                    post(.cancelled(.cancelled(by: "the person who was to log in")))
                }
            case .hideLogin: await presenter.hideLogin()
            case .send, .kill, .end: break
            }
        }
        question?.cancel()
        await question?.value
    }

    private func post(_ input: SetupStateMachine.Input) { inputs.post(input) }

    // MARK: The program's side

    /// Blocks until the process has ended.
    private func drive() throws(BroadcastError) -> SetupOutcome {
        let process = try SetupProcess(service.service, program: program, environment: environment)
        var driver = Driver(
            process: process, machine: SetupStateMachine(service, limits: limits, now: MonotonicClock.now()),
            prompts: promptsIn)
        driver.send(.start(SetupStart(service: service.id, app: app)))
        while driver.outcome == nil {
            driver.wait(for: inputs.descriptor)
            for input in inputs.drain() { driver.handle(input) }
            driver.handleProcess()
        }
        return try (driver.outcome ?? .failure(.cancelled)).get()
    }

    private struct Driver {
        let process: SetupProcess
        var machine: SetupStateMachine
        let prompts: AsyncStream<SetupStateMachine.Action>.Continuation
        var outcome: SetupStateMachine.Outcome?

        func wait(for inputs: Int32) {
            var deadline = machine.nextDeadline
            // Without a pidfd, the process is checked every 20 ms.
            if process.exitDescriptor < 0 { deadline = min(deadline ?? .max, MonotonicClock.now() + 20_000_000) }
            // A closed channel would be readable for ever.
            PollLoop.wait(
                for: ReadableDescriptor(inputs), process.connection.isClosed ? nil : process.connection,
                ReadableDescriptor(process.exitDescriptor), until: deadline)
        }

        mutating func handleProcess() {
            listen()
            if let end = process.poll() {
                // Read the last message, which the process wrote before it ended.
                listen()
                handle(.exited(end.ending, stderrTail: end.stderrTail))
            }
            handle(.time)
        }

        private mutating func listen() {
            guard !process.connection.isClosed else { return }
            do throws(ControlError) {
                for report in try process.connection.readAvailable() { handle(.report(report)) }
                if process.connection.isClosed, process.poll() == nil { handle(.channelClosed) }
            } catch {
                guard case .protocolError(let fault) = error else { return handle(.channelClosed) }
                if case .version(let theirs) = fault {
                    handle(.protocolViolation("speaks version \(theirs) of Kinecast's messages"))
                } else {
                    handle(.protocolViolation("sent an invalid message on its control channel"))
                }
            }
        }

        mutating func handle(_ input: SetupStateMachine.Input) {
            for action in machine.handle(input, at: MonotonicClock.now()) {
                switch action {
                case .ask, .showLogin, .hideLogin: prompts.yield(action)
                case .send(let request): send(request)
                case .kill: process.kill()
                case .end(let outcome): self.outcome = outcome
                }
            }
        }

        mutating func send(_ request: SetupRequest) {
            if let reason = process.connection.deliver(request) {
                handle(.cancelled(BroadcastError(.invalidField, reason)))
            }
        }
    }
}
