// The name of a new extension, in the forms that a package, Swift and a manifest need.
import KineServices

struct ExtensionName: Equatable {
    /// The name as typed, also the name of the package and its directory.
    let typed: String
    /// The module and its folder: `SoundMeter`.
    let module: String
    /// The service's id, and the executable's name: `sound-meter`.
    let id: String

    enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case malformed(String)
        case reserved(String, what: String)

        var description: String {
            switch self {
            case .malformed(let name):
                "\(name) cannot be the name of an extension; use letters, digits and single dashes, a letter first, "
                    + "such as sound-meter."
            case .reserved(let name, let what):
                "\(name) cannot be the extension's name, because \(what); choose another."
            }
        }
    }

    /// The most characters, so that file names and identifiers made of the name are not too long.
    private static let longest = 60

    /// Names that would hide a Swift type, or a module that the generated package imports.
    private static let hiding: Set<String> = [
        "Any", "Foundation", "Glibc", "KineMedia", "KinePlatform", "KineRings", "KineWire", "Kinecast",
        "KinecastExtension", "KinecastExtensionTesting", "Level", "Package", "Protocol", "Self", "Swift",
        "Synchronization", "SystemPackage", "Testing", "Type",
    ]

    init(_ typed: String) throws(Error) {
        let words = typed.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        let isLetterOrDigit = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber)
        }
        guard typed.count <= Self.longest, typed.first?.isLetter == true,
            words.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isLetterOrDigit) })
        else { throw .malformed(typed) }
        self.typed = typed
        module = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        id = Self.dashed(words)
        if Self.hiding.contains(module) { throw .reserved(typed, what: "\(module) means something else in its source") }
        if BuiltInServices.isReserved(id) { throw .reserved(typed, what: "\(id) is a service of Kinecast's own") }
    }

    /// Lowercase letters, with a dash before each capitalized word: `HTTPMeter` is `http-meter`.
    private static func dashed(_ words: [Substring]) -> String {
        words.map { word in
            let letters = Array(word)
            var result = ""
            for (index, letter) in letters.enumerated() {
                let beginsWord =
                    index > 0 && letter.isUppercase
                    && (!letters[index - 1].isUppercase || index + 1 < letters.count && letters[index + 1].isLowercase)
                result += (beginsWord ? "-" : "") + letter.lowercased()
            }
            return result
        }.joined(separator: "-")
    }
}
