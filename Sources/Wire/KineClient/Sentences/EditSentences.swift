// The sentences about recordings that were cut or looked at.
import KineMedia
import KineWire

public enum EditSentences {
    /// A sentence about an excerpt that was written.
    public static func trimmed(_ file: TrimmedRecording) -> String {
        let encoded = Quantity.count(file.framesEncoded, "frame")
        return "Saved \(file.path): \(Quantity.length(file.duration)), \(Quantity.bytes(file.bytes)), "
            + "\(Quantity.count(file.frames, "frame")); "
            + (file.framesEncoded == 0 ? "all of them copied." : "\(encoded) encoded again, all others copied.")
    }

    /// A sentence about an image that was written.
    public static func thumbnail(_ image: RecordedImage, _ path: String) -> String {
        "Saved \(path): \(image.size.width)x\(image.size.height), the frame shown from \(image.time.seconds) s on, "
            + "\(Quantity.bytes(image.data.count))."
    }
}
