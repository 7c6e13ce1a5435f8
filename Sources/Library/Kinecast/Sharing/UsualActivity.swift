// The activities that are offered for every recording.
import FoundationEssentials
import KineWire

/// The raw value is the word in requests and messages.
package enum UsualActivity: String, CaseIterable, Codable, Sendable {
    case copy, open, email, upload

    package var offer: SheetActivity {
        let title =
            switch self {
            case .copy: SaveToVideosActivity().title
            case .open: OpenActivity().title
            case .email: EmailActivity().title
            case .upload: "Upload"
            }
        return SheetActivity(id: rawValue, title: title, takesAddress: self == .upload)
    }

    /// - Parameter address: for `upload`.
    package func make(to address: String?) throws(RecordingError) -> any ShareActivity {
        switch self {
        case .copy: return SaveToVideosActivity()
        case .open: return OpenActivity()
        case .email: return EmailActivity()
        case .upload:
            // A port of this machine may be another user's.
            guard let address = address.flatMap({ URL(string: $0) }), address.host?.isEmpty == false,
                address.scheme?.lowercased() == "https"
            else {
                throw RecordingError(
                    .invalidParameter, "An upload needs an https address, such as https://example.org/recording.mp4.")
            }
            return UploadActivity(to: address)
        }
    }
}
