// Takes of a real engine with a real extension that passes its frames on to an app.
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// One take, and the accounts of both ends.
struct PassedTake {
    /// The delays are from the extension's handler to the app's.
    var transfer: Transfer
    /// The app's account with delays from capture.
    var sinceCapture: TransferReport
    /// The mapping in which each of the two saw the frames.
    var placements: (extension: String, app: String)
    /// Frames that did not reach the extension, and those that did and never reached the app.
    var lost: Int

    /// Both saw the frames where the engine had written them, and neither can write there.
    var isInPlace: Bool { transfer.isInPlace }
}

extension RawTaker {
    private static let group = "org.kinecast.meter.frames"

    /// - Parameter readsAll: both handlers read every byte.
    func takePassed(
        _ source: RawSource, size: PixelSize, framesPerSecond: Int, readsAll: Bool = false
    ) throws -> PassedTake {
        let folder = try TemporaryDirectory()
        let bundle = try MeterBundle(group: Self.group)
        let stage = try Stage(source, size: size, framesPerSecond: framesPerSecond)
        defer { stage.end() }
        let environment = stage.environment(folder) + bundle.environment
        let app = try ReceivingApp(group: Self.group, readsAll: readsAll, environment: environment)
        var configuration = stage.configuration(output: nil, framesPerSecond: framesPerSecond)
        configuration.destinations = [bundle.destination(report: "report", readsAll: readsAll)]
        let take = try EngineTake(configuration, environment: environment, folder: folder)
        try app.waitForConnection()
        let origin = try TakeOrigin.earliest { try take.status() }
        try take.run(for: seconds)
        let summary = try take.stop()
        let received = try app.stop()
        let sent = try MeterAccount(path: bundle.reportPath("report"))
        let passage = Passage(sent: sent.arrivals, received: received.arrivals)
        var transfer = Transfer(
            name: "Kinecast, \(source.name)" + (readsAll ? ", every byte read by both" : ""), size: size,
            framesPerSecond: framesPerSecond, seconds: seconds, isOfToday: false, readsAll: readsAll,
            isInPlace: sent.isInPlace && received.isInPlace)
        transfer.sender = sent.report
        transfer.receiver = received.report
        transfer.receiver.delays = passage.delays
        return PassedTake(
            transfer: transfer,
            sinceCapture: received.sinceCapture(origin: origin, framesPerSecond: framesPerSecond),
            placements: (sent.placement, received.placement),
            lost: passage.missing + Int(summary.destinations.first?.framesSkipped ?? 0))
    }
}

/// A running kinecast-receivermeter. It lies in a directory of its own, with the manifest that makes it a member of the group.
private final class ReceivingApp {
    private let helper: HelperProcess
    private let input: FileDescriptor
    private let folder: TemporaryDirectory

    init(group: String, readsAll: Bool, environment: [String]) throws {
        folder = try TemporaryDirectory()
        try folder.write(
            #"{"identifier": "org.kinecast.receivermeter", "groups": {"\#(group)": ["\#(MeterBundle.service)"]}}"#.utf8,
            to: "kinecast-app.json")
        let program = try folder.write(
            try Tool.contents(of: Tool.sibling("kinecast-receivermeter")), to: "app",
            permissions: .ownerReadWriteExecute)
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        input = pipe.writeEnd
        helper = try HelperProcess(
            "kinecast-receivermeter", at: program, [group] + (readsAll ? ["--read-all"] : []),
            environment: environment, input: pipe.readEnd)
        try expect("ready")
    }

    /// Returns when an extension is connected.
    func waitForConnection() throws { try expect("connected") }

    private func expect(_ line: String) throws {
        let said = try helper.line(deadline: deadline(in: 20))
        guard said == line else { throw EngineTake.Failed(description: "The receiving app said “\(said)”.") }
    }

    /// What it saw.
    func stop() throws -> MeterAccount {
        try input.close()
        return MeterAccount(try helper.report(deadline: deadline(in: 20)))
    }
}
