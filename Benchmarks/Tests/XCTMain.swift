// The entry point of all tests. Without this file the build looks for XCTest classes in an index, which costs time with every
// file it compiles, and no test uses XCTest. `swift test` starts the program once for each of the two libraries and names the
// one it means.
import Testing

@main
enum TestRunner {
    static func main() async {
        guard isForSwiftTesting else {
            // There are no XCTest classes to list or to run.
            if CommandLine.arguments.contains("--dump-tests-json") { print(#"{"name":"All tests","tests":[]}"#) }
            return
        }
        await Testing.__swiftPMEntryPoint() as Never
    }

    private static var isForSwiftTesting: Bool {
        let arguments = CommandLine.arguments
        guard let option = arguments.firstIndex(of: "--testing-library") else { return false }
        return arguments.dropFirst(option + 1).first == "swift-testing"
    }
}
