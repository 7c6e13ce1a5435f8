// The refusals of clips that cannot be made.
import KineContainers
import KineMedia
import KinePlatform
import KineTake
import KineWire
import SystemPackage

extension Refusal {
    init(_ error: ClipError) {
        switch error {
        case .notBuffering:
            self.init(.notBuffering, "The take has no clip buffer; start one with kinecast record --clip-buffer 30s.")
        case .exportInProgress:
            self.init(
                .exportInProgress, "A clip of this take is being written; try again when it is finished.")
        case .nothingCaptured:
            self.init(.noClip, "Nothing was captured yet, so there is no clip; try again in a moment.")
        case .over: self.init(.noClip, "The take is over, and its clip buffer with it; start another.")
        case .storage(.full(let path)):
            self.init(
                .storageFailed, "The clip \(path) does not fit on its disk, and nothing of it was kept; make room.")
        case .storage(let error):
            let isUnmade = if case .inUse = error { true } else { error.isCreationFailure }
            self.init(
                isUnmade ? .cannotCreate : .storageFailed, "\(error.description).", alternative: error.alternative)
        case .thread(let error): self.init(.noClip, DedicatedThread.explanation(of: error, thread: "clip"))
        }
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
