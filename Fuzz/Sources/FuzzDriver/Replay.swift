// Takes libFuzzer's place in a build without its instrumentation, which would compile all of Kinecast a second time: gives a target its
// seeds, and then inputs that are made of them by chance.
#if REPLAY
    import Glibc

    enum Replay {
        /// The input that is being tried, for the signal handler.
        private nonisolated(unsafe) static var current: UnsafeMutableRawBufferPointer?
        private nonisolated(unsafe) static var failurePath: UnsafeMutablePointer<CChar>?

        /// - Parameter arguments: the number of inputs after the seeds; the file that gets an input which fails; the target's words
        ///   (libFuzzer's dictionary); the seeds.
        static func run(_ arguments: [String], _ body: ([UInt8]) -> Void) -> Int32 {
            guard arguments.count > 3, let runs = Int(arguments[0]) else { return 64 }
            let seeds = arguments[3...].sorted().map(contents(of:))
            failurePath = strdup(arguments[1])
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] { signal(number, saveAndDie) }
            for seed in seeds { attempt(seed, body) }
            var mutator = Mutator(seeds: seeds, words: Mutator.words(in: contents(of: arguments[2])))
            for _ in 0..<runs { attempt(mutator.next(), body) }
            print("\(seeds.count + runs) inputs")
            return 0
        }

        private static func attempt(_ input: [UInt8], _ body: ([UInt8]) -> Void) {
            var bytes = input
            bytes.withUnsafeMutableBytes { buffer in
                current = buffer
                body(input)
                current = nil
            }
        }

        private static let saveAndDie: @convention(c) (Int32) -> Void = { number in
            signal(number, SIG_DFL)
            if let path = failurePath, let bytes = current {
                let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
                _ = write(file, bytes.baseAddress, bytes.count)
            }
            raise(number)
        }

        private static func contents(of path: String) -> [UInt8] {
            guard let file = fopen(path, "r") else { preconditionFailure("\(path) cannot be read: \(errno)") }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65536)
            while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
            return bytes
        }
    }
#endif
