// Starts libFuzzer. The package manager makes `fuzz_NAME_main` the main of the program fuzz-NAME, so libFuzzer's own main is not
// reached and its driver is called from there (LLVM, "Using libFuzzer as a library").

/// The second argument of a main.
public typealias FuzzArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
/// The type of `fuzz_NAME_main`.
public typealias FuzzMain = @convention(c) (Int32, FuzzArguments) -> Int32

/// Fuzzes `body`, which gets one input after another, as the arguments of the program say. Returns the exit status.
public func runFuzzer(_ count: Int32, _ arguments: FuzzArguments, _ body: @escaping ([UInt8]) -> Void) -> Int32 {
    #if REPLAY
        return Replay.run((1..<Int(count)).map { String(cString: arguments[$0]!) }, body)
    #else
        target = body
        var (count, arguments) = (count, arguments)
        return runDriver(&count, &arguments, runTarget)
    #endif
}

#if !REPLAY
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<FuzzArguments>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    /// Set before libFuzzer runs, which it does in one thread.
    private nonisolated(unsafe) var target: ([UInt8]) -> Void = { _ in }

    /// By this name libFuzzer's own main, which is linked all the same, finds it.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func runTarget(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        target(Array(UnsafeBufferPointer(start: data, count: count)))
        return 0
    }
#endif
