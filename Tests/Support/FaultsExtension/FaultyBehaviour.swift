// What faulty extensions do, with the bare means of the system.
import Glibc
import KineWire

enum FaultyBehaviour {
    static func sleepForEver() { while true { pause() } }

    /// Takes memory in steps of a tenth of a second, and never gives it back.
    static func leak(megabytesPerSecond rate: Int) {
        let bytes = rate * 1_048_576 / 10
        let thread = UnsafeMutablePointer<pthread_t>.allocate(capacity: 1)
        let argument = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        argument.pointee = bytes
        // On a thread of its own: the handler itself stays a good one.
        pthread_create(
            thread, nil,
            { argument in
                guard let bytes = argument?.assumingMemoryBound(to: Int.self).pointee else { return nil }
                while true {
                    if let memory = malloc(bytes) { memset(memory, 1, bytes) }
                    usleep(100_000)
                }
            }, argument)
    }

    /// As fast as the machine can.
    static func leakAtOnce() {
        while true {
            if let memory = malloc(1 << 20) { memset(memory, 1, 1 << 20) } else { abort() }
        }
    }

    /// In another process, which lives beside a small parent.
    static func leakInChild() { run("x=$(head -c 120000000 /dev/zero | tr '\\0' x); sleep 1000") }

    /// Without touching memory: pages that are only read are all one page, and every two megabytes of them need a table.
    static func leakTables() {
        let size = 1 << 38
        guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            memory != MAP_FAILED
        else { return }
        madvise(memory, size, MADV_NOHUGEPAGE)
        var sum: UInt8 = 0
        for offset in stride(from: 0, to: size, by: 2 << 20) {
            sum |= memory.load(fromByteOffset: offset, as: UInt8.self)
        }
        if sum != 0 { abort() }
    }

    /// More than anybody counts in a moment.
    static func startThreads() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 1 << 16)
        for _ in 0..<1100 {
            var thread = pthread_t()
            pthread_create(&thread, &attributes, { _ in while true { pause() } }, nil)
        }
    }

    /// Starts a shell command.
    static func run(_ command: String) {
        let words = ["sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        posix_spawn(&pid, "/bin/sh", nil, nil, &arguments, environ)
    }

    /// As many and as long texts as a message holds, past the library's bounds.
    static func sendLongInfo() {
        let long = String(repeating: "\"", count: 2000)
        EngineLink.shared.send(
            .serviceInfo(Dictionary(uniqueKeysWithValues: (10..<74).map { ("\($0)" + long, long) })))
    }

    static func writeGarbageOnControl() {
        let garbage = [UInt8](repeating: 0xff, count: 4096)
        _ = garbage.withUnsafeBytes { write(3, $0.baseAddress, $0.count) }
    }

    /// The same reports again and again, encoded once: the reader has more work with them than the writer.
    static func floodControl() {
        guard let report = try? ControlEncoder.frame(ExtensionReport.heartbeat) else { return }
        // Few enough for the socket to take all of them or none.
        let reports = [UInt8](repeatElement(report, count: 128).joined())
        while true { _ = reports.withUnsafeBytes { write(3, $0.baseAddress, $0.count) } }
    }

    /// Finds the one page that the engine lets this process write, and fills it.
    static func writeGarbageInRing() {
        guard let maps = fopen("/proc/self/maps", "r") else { return }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), maps) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.contains("kinecast-state"), text.contains(" rw") else { continue }
            let ends = text.prefix { $0 != " " }.split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard ends.count == 2, let page = UnsafeMutableRawPointer(bitPattern: ends[0]) else { continue }
            memset(page, 0xa5, Int(ends[1] - ends[0]))
        }
    }
}
