// The other process of the relay's tests: an extension that reads a stamped take, at the pace that its argument names, or with
// hostile intent.
import Glibc
import KinePlatform
import KineRings
import KineWire
import RelayTesting
import SystemPackage

let manner = CommandLine.arguments.dropFirst().first ?? "fast"

func pause(milliseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    nanosleep(&time, nil)
}

func run() throws {
    let connection = try ExtensionConnection(
        adopting: FileDescriptor(rawValue: 3), receivingDescriptors: true)
    // Longer than any test waits for this process, which ends it.
    let deadline = MonotonicClock.now() + 300_000_000_000
    guard case .start(let start)? = try connection.receive(until: deadline).first else { exit(2) }
    let descriptors = connection.removeDescriptors()
    if manner == "hostile" {
        // Writes garbage over the state page until it is ended.
        let page = try SharedMemory(adopting: descriptors[1], byteCount: SharedMemory.pageSize, writable: true)
        try connection.send(.started)
        var random = Stamp(CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0)
        withExtendedLifetime(page) {
            while !connection.isClosed {
                for offset in stride(from: 0, to: 256, by: 8) {
                    page.base.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
                }
                _ = try? connection.readAvailable()
            }
        }
        return
    }
    let receiver = try StreamReceiver(start.stream, descriptors: descriptors)
    try connection.send(.started)
    var checker = StampChecker()
    var turn = 0
    var isFinishing = false
    do {
        while true {
            let found = try checker.readAvailable(receiver) {
                turn += 1
                switch manner {
                case "slow": pause(milliseconds: 20)
                case "stuttering" where turn % 16 == 0: pause(milliseconds: 100)
                default: break
                }
            }
            if found { continue }
            if isFinishing { break }
            let ready = WakeSignal.poll(
                [receiver.wakeDescriptor.rawValue, connection.descriptor.rawValue], until: deadline)
            guard ready.contains(true) else { break }
            if !receiver.clearWake() { break }
            if ready[1] {
                for request in try connection.readAvailable() {
                    if case .finish = request { isFinishing = true }
                }
            }
        }
        try connection.send(.state("\(checker.frames) \(checker.samples) \(checker.discontinuities)"))
        try connection.send(.finished)
    } catch {
        try connection.send(.failed("\(error)"))
    }
    _ = connection.drain(until: deadline)
}

try run()
