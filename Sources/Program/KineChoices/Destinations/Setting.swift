// One `--set KEY=VALUE`. A value may be a secret, so no message repeats it.
import KineProgram
import KineText
import SystemPackage

package struct Setting: Equatable {
    /// `KEY`, or `ID.KEY` for the services with that id only.
    package var key: String
    /// The value as typed: `@FILE` stands for the file's contents, and an initial `@@` for one `@`.
    package var typedValue: String

    /// Nil if there is no `=`, or nothing before it.
    package init?(_ argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        key = String(argument[..<equals])
        typedValue = String(argument[argument.index(after: equals)...])
    }

    package init(key: String, value: String) {
        self.key = key
        typedValue = value.hasPrefix("@") ? "@" + value : value
    }

    /// The value. `@FILE` is read from the file, without the end of its last line.
    package func value() throws(CommandFailure) -> String {
        guard typedValue.hasPrefix("@") else { return typedValue }
        let path = String(typedValue.dropFirst())
        if path.hasPrefix("@") { return path }
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile(path: FilePath(escaped: path), name: "--set \(key)=@\(path)", content: "secrets")
                .bytes()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.usage(
                "The file \(path), named by --set \(key)=@\(path), cannot be read: \(error); "
                    + "correct its name, or write --set \(key)=@@… for a value that begins with @.")
        }
        guard bytes.count <= PrivateFile.limit else {
            throw CommandFailure.usage(
                "The file \(path), named by --set \(key)=@\(path), has more than \(PrivateFile.limit / 1024) kB, "
                    + "too much for a setting; name another file.")
        }
        var text = PrivateFile.decoded(bytes)
        // "\r\n" is one character.
        if text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
