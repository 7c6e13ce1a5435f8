// The server on the other machine of a test network: started, hung and killed as tests want it, with one account of all of it.
import Glibc
import KinePlatform
import SystemPackage

/// A server that may be ended and started again. The account is for any thread; all else is used by one.
public final class FarEnd {
    public static let port = 1935

    /// What has come to all servers that were started here. Connections are counted on.
    public let log = Monitor(ArrivalLog())
    private let network: TestNetwork
    private let executable: String
    private var server: (process: HeldProcess, reader: DedicatedThread)?
    private var starts = 0

    /// - Parameter folder: with this package's executables.
    public init(_ network: TestNetwork, executables folder: String) {
        self.network = network
        executable = "\(folder)/kinecast-farend"
    }

    deinit { kill() }

    public func address(_ stream: String) -> String {
        "rtmp://\(TestNetwork.serverAddress):\(Self.port)/live/\(stream)"
    }

    /// Starts a server and waits until it listens.
    /// - Parameter deaf: it accepts connections and never reads.
    public func start(deaf: Bool = false) throws {
        kill()
        let command = try network.command(
            on: .server, executable,
            ["serve", "--address", TestNetwork.serverAddress, "--port", "\(Self.port)"] + (deaf ? ["--deaf"] : []))
        let process = try HeldProcess(command.executable, command.arguments, ready: "listening ")
        let output = process.output
        let first = starts * 1000
        starts += 1
        let reader = DedicatedThread(name: "far-end") { [log] in
            var rest: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while let count = try? chunk.withUnsafeMutableBytes({ try output.read(into: $0) }), count > 0 {
                rest += chunk[..<count]
                guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n")
                rest.removeFirst(end + 1)
                log.signal { log in
                    for line in lines { if let line = FarEndLine(line) { log.append(line, from: first) } }
                }
            }
        }
        server = (process, reader)
    }

    /// Ends the server as a power cut would end its program: the kernel closes its connections.
    public func kill() {
        guard let (process, reader) = server else { return }
        server = nil
        process.kill()
        reader.join()
    }

    /// The server's program stops, and its kernel goes on: connections are accepted, and nothing is read.
    public func hang() { server?.process.process.signal(SIGSTOP) }

    public func goOn() { server?.process.process.signal(SIGCONT) }

    /// Waits until the account says what is wanted; nil at the deadline (nanoseconds of CLOCK_MONOTONIC).
    public func wait<Result>(until deadline: Int64, for body: (ArrivalLog) -> Result?) -> Result? {
        log.wait(until: deadline) { body($0) }
    }
}
