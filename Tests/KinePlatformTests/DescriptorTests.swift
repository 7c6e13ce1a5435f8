// Waits in poll: for wake-ups, signals, readable descriptors, a deadline.
import Glibc
import KinePlatform
import SystemPackage
import Testing

@Suite struct DescriptorTests {
    @Test func `a wake signal is readable until it is cleared, however often it was given`() {
        let wake = WakeSignal()
        #expect(WakeSignal.poll([wake.descriptor], until: 0) == [false])
        for _ in 0..<3 { wake.signal() }
        #expect(WakeSignal.poll([wake.descriptor], until: nil) == [true])
        wake.clear()
        #expect(WakeSignal.poll([wake.descriptor], until: 0) == [false])
        wake.clear()
    }

    @Test func `a thread that sleeps in poll is woken by another`() {
        let wake = WakeSignal()
        let woken = Monitor<[Bool]>([])
        let thread = DedicatedThread(name: "sleeps") {
            woken.withLock { $0 = WakeSignal.poll([wake.descriptor], until: nil) }
        }
        wake.signal()
        thread.join()
        #expect(woken.withLock { $0 } == [true])
    }

    @Test func `of several descriptors the ready ones are told, a closed other end among them`() throws {
        let (quiet, talking, closed) = (
            try FileDescriptor.pipe(), try FileDescriptor.pipe(), try FileDescriptor.pipe()
        )
        defer {
            for end in [quiet.readEnd, quiet.writeEnd, talking.readEnd, talking.writeEnd, closed.readEnd] {
                try? end.close()
            }
        }
        try talking.writeEnd.writeAll([1])
        try closed.writeEnd.close()
        let descriptors = [quiet, talking, closed].map(\.readEnd.rawValue)
        #expect(WakeSignal.poll(descriptors, until: nil) == [false, true, true])
    }

    @Test func `poll ends at its deadline, never before, and at once where that is past`() {
        #expect(WakeSignal.poll([], until: 0) == [])
        let deadline = MonotonicClock.now() + 20_000_000
        #expect(WakeSignal.poll([], until: deadline) == [])
        #expect(MonotonicClock.now() >= deadline)
    }

    @Test func `a descriptor that is none counts as ready, so that its read tells why`() {
        #expect(WakeSignal.poll([1 << 20], until: nil) == [true])
    }

    @Test func `a signal is taken over from its action, and read in its turn`() throws {
        // In a thread of its own, where all signals are blocked already: the kernel must find no thread to deliver it to.
        let taken = Monitor<[Int32?]>([])
        DedicatedThread(name: "signals") {
            let signals = SignalDescriptor([SIGUSR1, SIGUSR2])
            let before = signals.next()
            pthread_kill(pthread_self(), SIGUSR2)
            pthread_kill(pthread_self(), SIGUSR1)
            let ready = WakeSignal.poll([signals.descriptor], until: nil)
            let numbers = Set([signals.next(), signals.next()].compactMap(\.self))
            var all: [Int32?] = [before, ready == [true] ? 1 : 0]
            for number in numbers.sorted() { all.append(number) }
            all.append(signals.next())
            taken.withLock { [all] in $0 = all }
        }.join()
        #expect(taken.withLock { $0 } == [nil, 1, SIGUSR1, SIGUSR2, nil])
    }

    @Test func `a signal that is ignored stays ignored, and a child ignores what it is told to`() throws {
        signal(SIGALRM, SIG_IGN)
        defer { signal(SIGALRM, SIG_DFL) }
        #expect(SignalDescriptor.ignored(among: [SIGALRM, SIGTERM]) == [SIGALRM])
        let taken = Monitor<[Int32?]>([])
        DedicatedThread(name: "signals") {
            let signals = SignalDescriptor([SIGALRM])
            pthread_kill(pthread_self(), SIGALRM)
            let next = signals.next()
            taken.withLock { $0 = [next] }
        }.join()
        #expect(taken.withLock { $0 } == [nil])
        var options = ChildProcess.Options()
        options.ignoredSignals = [SIGHUP, SIGTERM]
        let child = try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", "kill -HUP $$; kill -TERM $$; kill -ALRM $$; exit 3"],
            environment: [], options: options)
        #expect(child.wait() == .killed(signal: SIGALRM))
    }

    @Test func `a child does not inherit these descriptors`() {
        let wake = WakeSignal()
        #expect(fcntl(wake.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(wake.descriptor, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func `the clock goes on and never back`() {
        var last = MonotonicClock.now()
        for _ in 0..<1000 {
            let now = MonotonicClock.now()
            #expect(now >= last)
            last = now
        }
    }
}
