// Starts libFuzzer. The package manager makes `fuzz_NAME_main` the main of the program fuzz-NAME, so libFuzzer's own main is not
// reached and its driver is called from there (LLVM, "Using libFuzzer as a library").

/// A main's second argument.
public typealias FuzzArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
/// Takes one input: its bytes and their number. Returns 0.
public typealias FuzzTarget = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<FuzzArguments>, _ body: FuzzTarget
) -> Int32

/// Fuzzes `target` as the arguments of the program say, and returns its exit status.
public func runFuzzer(_ count: Int32, _ arguments: FuzzArguments, _ target: FuzzTarget) -> Int32 {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments, target)
}
