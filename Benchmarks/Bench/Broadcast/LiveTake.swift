// A take that is served live to many viewers, for the memory of the one who serves.
import KineMeasure
import KineMedia
import KinePlatform

/// What kinecast-live needed.
struct LiveMemory {
    let viewers: Int
    /// How many hostile peers there are as well; nil: none, and no TLS.
    var hostile: Int?
    /// Viewers that were still served at the end.
    var served = 0
    /// Bytes sent to all together, and to the one who got least.
    var bytes = 0
    var leastBytes = 0
    /// The most bytes that were ever resident, by the kernel's own mark.
    var highWaterBytes = 0
    /// Seconds on a processor for each second of the clock, of kinecast-live while they watched.
    var processorShare = 0.0

    /// For tables.
    var crowd: String {
        guard let hostile else { return "\(viewers) viewers" }
        return "\(viewers) viewers over TLS" + (hostile > 0 ? " and \(hostile) hostile" : "")
    }

    /// A screen in motion at 30 frames a second is watched for so long by `viewers` at once.
    /// - Parameter hostile: how many more want to cost memory; with a number, even 0, everything goes over TLS.
    static func measure(viewers: Int, hostile: Int? = nil, seconds: Double) throws -> LiveMemory {
        let folder = try TemporaryDirectory()
        let stage = try Stage(
            .scene(.motion), size: PixelSize(width: 1920, height: 1080), framesPerSecond: 30)
        defer { stage.end() }
        var configuration = stage.configuration(output: nil, framesPerSecond: 30)
        let certificate =
            hostile == nil ? nil : try SelfSignedCertificate(name: "live", alternativeName: "IP:127.0.0.1")
        let setupInfo = certificate.map { ["tls-cert": $0.path, "tls-key": $0.key] } ?? [:]
        configuration.destinations = [
            TakeConfiguration.Destination(service: "live", setupInfo: setupInfo, label: "live")
        ]
        let take = try EngineTake(configuration, environment: stage.environment(folder), folder: folder)
        let link = try take.link()
        guard let pid = try take.status().destinations.first?.pid else {
            throw EngineTake.Failed(description: "The engine did not say which process serves.")
        }
        let before = ProcFiles.processorNanoseconds(of: pid) ?? 0
        let kind = hostile.map { ["crowd", link, "--hostile", "\($0)"] } ?? ["watch", link]
        let watcher = try HelperProcess(
            "kinecast-bench", kind + ["--viewers", "\(viewers)", "--seconds", "\(seconds)"])
        _ = try watcher.line(deadline: deadline(in: 80))
        try take.run(for: seconds - 0.5)
        var result = LiveMemory(viewers: viewers, hostile: hostile)
        let after = ProcFiles.processorNanoseconds(of: pid) ?? 0
        result.processorShare = Double(after - before) / 1e9 / seconds
        result.highWaterBytes = ProcFiles.highWaterBytes(of: pid)
        let words = try watcher.finish(deadline: deadline(in: 20)).split { $0 == " " || $0 == "\n" }
        if words.count == 6 {
            result.served = Int(words[1]) ?? 0
            result.leastBytes = Int(words[3]) ?? 0
            result.bytes = Int(words[5]) ?? 0
        }
        try take.stop()
        return result
    }
}
