// The refusals of clips that cannot be made.
import KineContainers
import KinePlatform
import KineWire
import SystemPackage

extension Refusal {
    static let notBuffering = Refusal(
        .notBuffering, "The take has no clip buffer; start one with kinecast record --clip-buffer 30s.")
    static let exportInProgress = Refusal(
        .exportInProgress, "A clip of this take is being written; try again when it is finished.")
    static let nothingCaptured = Refusal(
        .noClip, "Nothing was captured yet, so there is no clip; try again in a moment.")
    static let clipsAreOver = Refusal(
        .noClip, "The take is over, and its clip buffer with it; start another.")

    init(ofClip error: StorageError) {
        switch error {
        case .full(let path):
            self.init(
                .storageFailed, "The clip \(path) does not fit on its disk, and nothing of it was kept; make room.")
        case .inUse: self.init(.cannotCreate, "\(error.description).")
        default:
            self.init(
                error.isCreationFailure ? .cannotCreate : .storageFailed, "\(error.description).",
                alternative: error.alternative)
        }
    }

    static func noClipThread(_ error: Errno) -> Refusal {
        Refusal(.noClip, DedicatedThread.explanation(of: error, thread: "clip"))
    }

    /// What is wrong with a request; nil: nothing.
    static func problem(of request: ClipRequest) -> Refusal? {
        guard request.output.hasPrefix("/"), !request.output.utf8.contains(0) else {
            return Refusal(.invalidRequest, TakeConfiguration.Problem.unusablePath(request.output).description)
        }
        if let duration = request.duration, duration <= .zero {
            return Refusal(
                .invalidRequest, "A clip of \(duration.seconds) s cannot be made; give a duration of more than 0.")
        }
        return nil
    }
}
