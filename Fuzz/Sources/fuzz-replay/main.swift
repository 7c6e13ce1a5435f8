// Runs one of the fuzz targets without libFuzzer: fuzz-replay TARGET, and then as `Replay` says.
import FuzzDriver
import Glibc

let name = CommandLine.arguments.dropFirst().first ?? ""
let symbol = "fuzz_\(name.map { $0 == "-" ? "_" : String($0) }.joined())_main"
guard let main = dlsym(nil, symbol) else {
    print("There is no fuzz target '\(name)'.")
    exit(64)
}
exit(unsafeBitCast(main, to: FuzzMain.self)(CommandLine.argc - 1, CommandLine.unsafeArgv + 1))
