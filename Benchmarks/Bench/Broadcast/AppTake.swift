// A take whose samples an app handles itself: kinecast-appmeter captures a private screen, and the bench asks its engine how old
// the take is.
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// A running kinecast-appmeter.
final class AppTake {
    private let helper: HelperProcess
    private let input: FileDescriptor
    private let connection: ClientConnection

    /// - Parameters:
    ///   - environment: the app's, with the display that it captures.
    ///   - folder: the runtime directory of that environment.
    init(environment: [String], folder: TemporaryDirectory) throws {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        input = pipe.writeEnd
        let granted = try Permission.granted(to: try Tool.sibling("kinecast-appmeter"), in: folder)
        helper = try HelperProcess(
            "kinecast-appmeter", [], environment: environment + granted, input: pipe.readEnd)
        let words = try helper.line(deadline: deadline(in: 20)).split(separator: " ")
        let registry = try TakeRegistry.standard(
            userRuntimeDirectory: folder.path, environment: { $0 == "XDG_RUNTIME_DIR" ? folder.path : nil })
        connection = try registry.connect(to: try registry.find(words.last.map(String.init)))
    }

    func status() throws -> TakeStatus {
        try connection.send(.status)
        let end = deadline(in: 5)
        while MonotonicClock.now() < end {
            for message in try connection.receive(until: end) {
                if case .answer(_, .success(.status(let status))) = message { return status }
            }
        }
        throw EngineTake.Failed(description: "The app's engine gave no status.")
    }

    /// Ends the capture; what the app saw.
    func stop() throws -> MeterAccount {
        try input.close()
        return MeterAccount(try helper.report(deadline: deadline(in: 20)))
    }
}

extension RawTaker {
    /// The same as `take`, with an app in place of an extension.
    func takeByApp(_ kind: SceneKind, size: PixelSize, framesPerSecond: Int) throws -> RawTake {
        let folder = try TemporaryDirectory()
        let stage = try Stage(.scene(kind), size: size, framesPerSecond: framesPerSecond)
        defer { stage.end() }
        let take = try AppTake(environment: stage.environment(folder), folder: folder)
        let origin = try TakeOrigin.earliest { try take.status() }
        let end = deadline(in: seconds)
        _ = WakeSignal.poll([], until: end)
        let status = try take.status()
        let log = try stage.scene?.log()
        let account = try take.stop()
        return RawTake(
            source: .scene(kind), reader: .app, size: size, framesPerSecond: framesPerSecond, seconds: seconds,
            account: account.sinceCapture(origin: origin, framesPerSecond: framesPerSecond),
            sinceDrawing: account.sinceDrawing(log ?? []), isInPlace: account.isInPlace, placement: account.placement,
            skipped: nil, taken: status.progress.framesDrawn)
    }
}
