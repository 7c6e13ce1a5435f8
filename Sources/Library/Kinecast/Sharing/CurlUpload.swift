// Uploads one file with the program curl.
import Glibc
import KinePlatform
import SystemPackage

struct CurlUpload: Sendable {
    var host: String
    var file: String
    var byteCount: Int
    var options: [(name: String, value: String?)]

    /// curl's exit codes (curl(1), EXIT CODES).
    private static let reasons: [Int32: String] = [
        5: "the proxy is unknown", 6: "the host is unknown", 7: "no program listens there",
        28: "it took nothing for too long", 35: "the TLS handshake failed", 52: "it answered nothing",
        55: "the connection broke", 56: "the connection broke", 60: "its certificate is not trusted",
    ]

    /// Uploads the file. Blocks. Returns false if it was cancelled before it was complete.
    func run(_ cancellation: Cancellation, progress: (ShareProgress) -> Void) throws(RecordingError) -> Bool {
        guard let curl = ExecutableSearch.find("curl") else {
            throw RecordingError(.unavailable, "There is no curl here, which uploads recordings; install curl.")
        }
        progress(ShareProgress(completedBytes: 0, totalBytes: byteCount))
        let (ending, answer): (ChildProcess.Ending, String)
        do {
            (ending, answer) = try run(curl, cancellation, progress)
        } catch {
            throw RecordingError(.failedToShare, "\(curl) cannot be started (\(error)); check its permissions.")
        }
        if ending != .exited(status: 0), cancellation.isCancelled { return false }
        guard case .exited(let code) = ending, code == 0 else {
            let code = if case .exited(let code) = ending { code } else { Int32(-1) }
            let reason = Self.reasons[code] ?? "curl's exit status is \(code)"
            throw RecordingError(.failedToShare, "\(host) did not get the recording: \(reason); try again later.")
        }
        guard let status = Int(answer), 200..<300 ~= status else {
            throw RecordingError(
                .failedToShare,
                "\(host) refused the recording with HTTP status \(answer); check the address and what it asks for.")
        }
        progress(ShareProgress(completedBytes: byteCount, totalBytes: byteCount))
        return true
    }

    private func run(
        _ curl: String, _ cancellation: Cancellation, _ progress: (ShareProgress) -> Void
    ) throws -> (ChildProcess.Ending, String) {
        // Not passed in its arguments, which every process of this machine can read.
        let configuration = try MemoryInput(Self.text(options).utf8, name: "kinecast-upload")
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        defer { for end in [output.readEnd, errors.readEnd] { try? end.close() } }
        let process: ChildProcess
        do {
            defer { for end in [output.writeEnd, errors.writeEnd] { try? end.close() } }
            var options = ChildProcess.Options()
            options.descriptors = [configuration.descriptor, output.writeEnd, errors.writeEnd]
            // The signal comes when the starting thread ends: this one, which waits for the process.
            options.parentDeathSignal = SIGKILL
            options.newProcessGroup = true
            process = try ChildProcess(
                // Must come first; it makes curl ignore a ~/.curlrc.
                executable: curl, arguments: ["--disable", "--config", "-"], environment: ProcessEnvironment.current,
                options: options)
        }
        let token = cancellation.onCancel { process.signal(SIGKILL) }
        defer { cancellation.remove(token) }
        var bar = ProgressBar()
        var chunk = [UInt8](repeating: 0, count: 4096)
        while let count = try? chunk.withUnsafeMutableBytes({ try errors.readEnd.read(into: $0) }), count > 0 {
            guard let fraction = bar.read(chunk[..<count]) else { continue }
            progress(ShareProgress(completedBytes: Int(fraction * Double(byteCount)), totalBytes: byteCount))
        }
        let answer = (try? output.readEnd.readToEnd(atMost: 64)) ?? []
        return (process.wait(), String(decoding: answer, as: UTF8.self))
    }

    /// curl's configuration file: `name = "value"`, where a backslash escapes quotation marks and backslashes.
    static func text(_ options: [(name: String, value: String?)]) -> String {
        options.map { option in
            guard let value = option.value else { return option.name + "\n" }
            var quoted = ""
            for character in value.unicodeScalars {
                switch character {
                case "\\", "\"": quoted += "\\\(character)"
                case "\n": quoted += "\\n"
                case "\r": quoted += "\\r"
                case "\t": quoted += "\\t"
                default: quoted.unicodeScalars.append(character)
                }
            }
            return "\(option.name) = \"\(quoted)\"\n"
        }.joined()
    }

    /// Reads curl's progress, such as `##### 12.3%`.
    struct ProgressBar {
        private var number = ""
        private var last = -1.0

        /// The newest fraction, 0 to 1; nil if none is larger than the last.
        mutating func read(_ bytes: ArraySlice<UInt8>) -> Double? {
            var newest: Double?
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                    number = String(number.suffix(8)) + String(UnicodeScalar(byte))
                case UInt8(ascii: "%"):
                    if let percent = Double(number), 0...100 ~= percent, percent > last {
                        last = percent
                        newest = percent / 100
                    }
                    number = ""
                default: number = ""
                }
            }
            return newest
        }
    }
}
