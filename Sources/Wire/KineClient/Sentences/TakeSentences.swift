// Sentences about a take: its end, and the state of its file.
import KineContainers
import KineMedia
import KineTakes
import KineWire

public enum TakeSentences {
    /// The last lines of a take: one for the recording or broadcast, then one for each destination. `told`: the failure
    /// sentence that was already printed; an equal reason is omitted.
    public static func summary(_ summary: TakeSummary, told: String? = nil) -> [String] {
        let progress = summary.progress
        let reason = summary.reason == told ? "" : " (\(summary.reason))"
        let pause =
            summary.pausedByLock.map { "; paused for \(Quantity.length(.seconds($0))) by the screen's lock" } ?? ""
        let frames = "\(summary.size.width)x\(summary.size.height); \(frames(progress))\(pause)\(reason)."
        let length = Quantity.length(progress.duration)
        let first =
            summary.output.map {
                saved($0, summary.files) + ": \(length), \(Quantity.bytes(progress.bytes)), \(frames)"
            }
            ?? "\(summary.destinations.isEmpty ? "Captured" : "Broadcast") \(length), \(frames)"
        return [first] + summary.destinations.map(DestinationSentences.summary)
    }

    private static func saved(_ output: String, _ files: [String]?) -> String {
        if output == TakeConfiguration.standardOutput { return "Written to standard output" }
        guard let files, files.count > 1, let last = files.last else { return "Saved \(output)" }
        return "Saved \(files.count) files, \(output) to \(last)"
    }

    /// A failure's sentence with an alternative at its end, in the client's own words, if there is one.
    public static func sentence(_ message: String, or alternative: String?) -> String {
        guard let alternative else { return message }
        return "\(message.hasSuffix(".") ? message.dropLast() : message[...]), or \(alternative)."
    }

    /// The counts of frames, for the middle of a sentence.
    private static func frames(_ progress: TakeProgress) -> String {
        "\(Quantity.count(progress.framesDrawn, "frame")) drawn, \(progress.framesUnchanged) skipped as unchanged, "
            + "\(progress.framesDropped) dropped"
    }

    /// The beginning of a sentence about the cause of the engine's death.
    public static func happened(_ death: EngineDeath) -> String {
        switch death.cause {
        case .aborted: "The engine was ended immediately, as asked"
        case .died:
            "The engine died (\(death.ending?.sentence ?? "in a way that is unknown here")"
                + "\(death.stderrTail.map { "; its last words: \($0)" } ?? ""))"
        }
    }

    /// A sentence about the engine's death and the state of its file.
    public static func death(_ death: EngineDeath) -> String {
        let happened = happened(death)
        switch death.file {
        case .recovered(let path, let saved):
            return "\(happened); what was recorded is saved in \(path): \(Quantity.length(saved.duration)), "
                + "\(Quantity.bytes(saved.bytes))."
        case .unrecoverable(let error): return "\(happened), and its file cannot be finished: \(error)."
        case .olderKept(let path):
            return "\(happened) before anything was on the disk; \(path) is still the older file."
        case .notRecorded: return "\(happened), and the take is over; there is no file to save."
        case .notBegun: return "\(happened) before anything was recorded; kinecast doctor may say why."
        case .leftAlone(let path?):
            return "\(happened); if \(path) does not play, kinecast recover finishes it."
        case .leftAlone(nil): return "\(happened); kinecast status shows what runs."
        }
    }

    /// A sentence about a recovered file.
    public static func recovery(of path: String, _ saved: RecoveredFile) -> String {
        let amount =
            "\(Quantity.length(saved.duration)), \(Quantity.bytes(saved.bytes)), \(Quantity.count(saved.frames, "frame"))"
        if let whole = saved.missesEndOf {
            return "\(path) was finished, but its end is missing: \(amount) of \(Quantity.length(whole)) are there; "
                + "copy it again from where it is whole."
        }
        if saved.wasAlreadyFinished { return "\(path) is finished already: \(amount); nothing was changed." }
        let lost =
            saved.skippedBytes > 0 ? "; \(Quantity.bytes(saved.skippedBytes)) at the end were damaged or cut off" : ""
        return "Recovered \(path): \(amount)\(lost)."
    }

    /// A sentence about a saved clip.
    public static func clip(_ clip: ExportedClip) -> String {
        let beginning =
            switch clip.beginning {
            case .asAsked: ""
            case .earlier(let time):
                ", and so begins \(Quantity.length(time)) earlier than asked, at the keyframe before"
            case .later(let time): "; that is all there is, \(Quantity.length(time)) less than asked"
            }
        return "Saved \(clip.output): the last \(Quantity.length(clip.duration)), \(Quantity.bytes(clip.bytes))"
            + "\(beginning)."
    }

    /// A sentence about a dismissed take.
    public static func dismissal(of take: TakeRecord) -> String {
        "Take \(take.id) is off the list\(take.output.map { "; \($0) stays as it is" } ?? "")."
    }

    /// A sentence about a listed take whose engine died, and what to do about it.
    public static func died(_ take: TakeRecord) -> String {
        let file = take.output.map { ", which was writing \($0)," } ?? ""
        return "The engine of take \(take.id)\(file) died; \(take.remedy)."
    }
}

// Sentences about trimmed recordings and images.
public enum EditSentences {
    /// A sentence about a saved excerpt.
    public static func trimmed(_ file: TrimmedRecording) -> String {
        let encoded = Quantity.count(file.framesEncoded, "frame")
        return "Saved \(file.path): \(Quantity.length(file.duration)), \(Quantity.bytes(file.bytes)), "
            + "\(Quantity.count(file.frames, "frame")); "
            + (file.framesEncoded == 0 ? "all of them copied." : "\(encoded) encoded again, all others copied.")
    }

    /// A sentence about a film.
    public static func exported(_ film: ExportedRecording) -> String {
        let zooms = film.zooms > 0 ? ", \(Quantity.count(film.zooms, "zoom"))" : ""
        let shorter = film.shorter >= .milliseconds(50) ? ", \(Quantity.length(film.shorter)) shorter" : ""
        let encoded: String =
            switch film.reason {
            case .otherFormat: "all of them encoded, since the film has another size or rate"
            case .otherEncoder: "all of them encoded, since another encoder made the recording"
            case nil where film.framesEncoded == 0: "all of them copied"
            case nil: "\(film.framesEncoded) of them encoded, all others copied"
            }
        let clicks =
            film.lacksClicks ? " Clicks are unknown in this recording; zooms are where its picture changed." : ""
        return "Saved \(film.path): \(Quantity.length(film.duration))\(shorter)\(zooms), "
            + "\(Quantity.bytes(film.bytes)), \(Quantity.count(film.frames, "frame")), \(encoded).\(clicks)"
    }

    /// A chapter's line in YouTube's form: `1:02:03 Title`.
    public static func chapter(_ chapter: Chapter) -> String { "\(Quantity.clock(chapter.start)) \(chapter.title)" }

    /// A sentence about a saved image.
    public static func thumbnail(_ image: RecordedImage, _ path: String) -> String {
        "Saved \(path): \(image.size.width)x\(image.size.height), the frame shown from \(image.time.seconds) s on, "
            + "\(Quantity.bytes(image.data.count))."
    }
}
