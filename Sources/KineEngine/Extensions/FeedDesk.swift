// Where feeds are ordered: they are made as soon as the picture's size is known, and the encoder's parameter sets where they
// are wanted. It also decides what the slots that capture draws in have to be.
import KineCapture
import KineControl
import KineImaging
import KineMedia
import KinePlatform
import KineRelay
import KineServices
import Synchronization

/// Makes the feeds of one take. Any thread may call it.
final class FeedDesk: Sendable {
    struct Order: Sendable {
        var manifest: ServiceManifest
        var setupInfo: [String: String]
        var ready: @Sendable (Result<ExtensionFeed, TakeFailure>) -> Void
    }

    private struct State {
        /// The memory that capture draws in, where extensions can read it.
        var memory: PictureMemory?
        var loans: SlotLoans?
        var outlet: PictureOutlet?
        var format: VideoFormat?
        var failure: TakeFailure?
        var annotation: [String: String] = [:]
        var orders: [Order] = []
        var groups: [ConvertedPictures] = []
    }

    private let configuration: TakeConfiguration
    private let services: [ServiceManifest]
    private let sound: AudioPipeline
    private let feeds: FeedList
    private let state = Mutex(State())

    init(configuration: TakeConfiguration, services: [ServiceManifest], sound: AudioPipeline, feeds: FeedList) {
        self.configuration = configuration
        self.services = services
        self.sound = sound
        self.feeds = feeds
    }

    var outlet: PictureOutlet? { state.withLock { $0.outlet } }
    /// How pictures are encoded; nil until the source is open.
    var plan: EncodingPlan? { outlet.map(plan) }
    var annotation: [String: String] { state.withLock { $0.annotation } }

    // MARK: From the take's threads

    /// The slots for pictures of `size`, to show: in memory that extensions can read, where one wants them as they are.
    func makeSlots(size: PixelSize) throws(VideoSourceError) -> CaptureThread.Slots {
        let wishes = services.compactMap { wish($0, size: size) }
        let readers = wishes.count(where: \.isOwn)
        var slots = CaptureThread.Slots()
        slots.count += PictureReader.slotsEach * readers
        // The delivery may still look at a picture when the next is there.
        if wishes.contains(where: { !$0.isOwn || $0.framesPerSecond != nil }) { slots.count += 1 }
        guard readers > 0 else { return slots }
        guard slots.count <= PictureLayout.slotLimit else {
            let most = (PictureLayout.slotLimit - 4) / PictureReader.slotsEach
            throw .unavailable(
                "\(readers) destinations want uncompressed pictures, and one take has room for \(most); leave some out, or "
                    + "give them to a second take.")
        }
        let layout = FrameLayout(pixelFormat: .i420, size: size.roundedUpToEven)
        do throws(SharedMemory.Error) {
            let memory = try PictureMemory(
                layout: PictureLayout(layout, visibleSize: size, slotCount: slots.count))
            slots.memory = PictureRing.Memory(base: memory.slot(0), owner: memory)
            state.withLock { $0.memory = memory }
            return slots
        } catch {
            throw .unavailable(error.description)
        }
    }

    /// The source is open: feeds without encoded pictures can be made.
    func opened(_ canvas: CaptureThread.CanvasDescription, outlet: PictureOutlet) {
        let annotation = services.isEmpty ? [:] : SourceAnnotation.describe(configuration.source, size: canvas.size)
        state.withLock { state in
            state.outlet = outlet
            state.loans = canvas.loans
            state.annotation = annotation
        }
        settle()
    }

    func encoderOpened(_ format: VideoFormat) {
        state.withLock { $0.format = format }
        settle()
    }

    /// No feed can be made any more.
    func failed(_ failure: TakeFailure) {
        state.withLock { if $0.failure == nil { $0.failure = failure } }
        settle()
    }

    /// Capture is over: nil after a stop, else why.
    func ended(_ error: VideoSourceError?) {
        let message =
            switch error {
            case .unavailable(let message), .lost(let message): message
            case .ended(let reason): "The take is over, as \(reason); start another."
            case nil: "The take is over; start another."
            }
        failed(TakeFailure(exitStatus: ExitStatus.unavailable, message: message))
    }

    // MARK: From the supervisor

    func order(_ order: Order) {
        state.withLock { $0.orders.append(order) }
        settle()
    }

    func begin(_ feed: ExtensionFeed) {
        if !feed.start.sounds.isEmpty && !feeds.hasSound { sound.listen(true) }
        feeds.begin(feed)
        if feed.isEncoded { outlet?.encoding.adjust(feeds.encodingRequest) }
        guard let pictures = feed.pictures, let outlet else { return }
        outlet.add(feed, pictures.reader, from: pictures.group, framesPerSecond: pictures.framesPerSecond)
    }

    func end(_ feed: ExtensionFeed) {
        feed.end()
        feeds.remove(feed)
        outlet?.remove(feed)
        // What it asked for went with it.
        outlet?.encoding.adjust(feeds.encodingRequest)
        if !feed.start.sounds.isEmpty && !feeds.hasSound { sound.listen(false) }
    }

    func request(_ request: EncodingRequest, for feed: ExtensionFeed) {
        outlet?.encoding.adjust(feeds.note(request, of: feed))
    }

    // MARK: Making

    /// Answers the orders that can be answered now.
    private func settle() {
        let answers = state.withLock { state -> [(Order, Result<ExtensionFeed, TakeFailure>)] in
            var answers: [(Order, Result<ExtensionFeed, TakeFailure>)] = []
            var waiting: [Order] = []
            for order in state.orders {
                if let result = answer(to: order, &state) {
                    answers.append((order, result))
                } else {
                    waiting.append(order)
                }
            }
            state.orders = waiting
            return answers
        }
        for (order, result) in answers { order.ready(result) }
    }

    /// Nil while something is not known yet.
    private func answer(to order: Order, _ state: inout State) -> Result<ExtensionFeed, TakeFailure>? {
        if let failure = state.failure { return .failure(failure) }
        guard let outlet = state.outlet else { return nil }
        if case .encoded(let codec, _, _) = order.manifest.video {
            guard VideoCodec(rawValue: codec) == TakeEncoder.codec else {
                return .failure(
                    TakeFailure(
                        exitStatus: ExitStatus.unavailable,
                        message: "\(order.manifest.name) wants pictures encoded as \(codec), and this engine encodes "
                            + "\(TakeEncoder.codec.rawValue) only; use another service."))
            }
            guard state.format != nil else {
                outlet.encoding.prepare()
                return nil
            }
            if let interval = order.manifest.keyframeInterval {
                outlet.encoding.shortenKeyframeInterval(to: interval)
            }
        }
        do {
            return .success(try make(order, outlet, &state))
        } catch {
            return .failure(TakeFailure(exitStatus: ExitStatus.unavailable, message: "\(error)"))
        }
    }

    private func make(_ order: Order, _ outlet: PictureOutlet, _ state: inout State) throws -> ExtensionFeed {
        let manifest = order.manifest
        let tracks = sound.sounds(for: SoundWish(manifest))
        let source = try wish(manifest, size: outlet.size).map { try supply($0, outlet, &state) }
        let isEncoded = manifest.wantsEncodedPictures
        let expectations = manifest.expectations ?? .init()
        let plan = plan(outlet)
        let sender = try StreamSender(
            video: isEncoded, pictures: source?.memory.layout,
            sampleRingBytes: Self.ringBytes(
                isEncoded ? outlet.size : nil, hasPlainSound: tracks.contains { $0.sound.form == .pcm }))
        let start = ExtensionStart(
            service: manifest.id, setupInfo: order.setupInfo,
            framesPerSecond: source?.framesPerSecond ?? configuration.video.framesPerSecond,
            video: isEncoded
                ? state.format.map { ExtensionStart.EncodedVideo($0, averageBitRate: plan.averageBitRate) } : nil,
            pictures: source?.memory.layout, sounds: tracks.map(\.sound), sampleRingBytes: sender.sampleRingBytes,
            memoryLimit: manifest.memoryLimit, finishSeconds: manifest.finishSeconds)
        let pictures = source.map { source in
            ExtensionFeed.Pictures(
                reader: PictureReader(sender: sender, size: source.memory.layout.size, loans: source.loans),
                memory: source.memory, group: source.group, framesPerSecond: source.framesPerSecond)
        }
        let isLimited = expectations.maximumBitrate != nil || configuration.video.maximumBitrate != nil
        return ExtensionFeed(
            sender: sender, start: start, pictures: pictures, tracks: tracks,
            limits: ExtensionFeed.Limits(
                bitrate: isLimited ? plan.ceiling : nil, accessUnit: expectations.maximumAccessUnit,
                stillInterval: expectations.stillFramesPerSecond.map { 1_000_000_000 / Int64($0) }))
    }

    private func plan(_ outlet: PictureOutlet) -> EncodingPlan {
        EncodingPlan(configuration, services: services, size: outlet.size.roundedUpToEven)
    }

    private func wish(_ manifest: ServiceManifest, size: PixelSize) -> PictureWish? {
        PictureWish(manifest, size: size, framesPerSecond: configuration.video.framesPerSecond)
    }

    private typealias PictureSupply = (
        memory: PictureMemory, loans: SlotLoans, group: ConvertedPictures?, framesPerSecond: Int?
    )

    /// Where pictures that meet the wish come from.
    private func supply(
        _ wish: PictureWish, _ outlet: PictureOutlet, _ state: inout State
    ) throws(SharedMemory.Error) -> PictureSupply {
        if wish.isOwn, let memory = state.memory, let loans = state.loans {
            return (memory, loans, nil, wish.framesPerSecond)
        }
        if let group = state.groups.first(where: {
            $0.size == wish.layout.size && $0.pixelFormat == wish.layout.pixelFormat
        }) {
            return (group.memory, group.loans, group, wish.framesPerSecond)
        }
        let readers = services.count { self.wish($0, size: outlet.size)?.layout == wish.layout }
        let group = try ConvertedPictures(
            layout: wish.layout, visibleSize: wish.visibleSize, sourceSize: outlet.size.roundedUpToEven,
            readers: max(1, readers))
        state.groups.append(group)
        outlet.delivery()?.prepare(group)
        return (group.memory, group.loans, group, wish.framesPerSecond)
    }

    /// Room for some seconds of what is sent, and for the largest keyframe that is to be expected. What is not used takes no
    /// memory.
    private static func ringBytes(_ encodedSize: PixelSize?, hasPlainSound: Bool) -> Int {
        if let encodedSize { return max(2 << 20, encodedSize.area * 2) }
        return hasPlainSound ? 1 << 20 : 1 << 18
    }
}

extension ServiceManifest {
    /// It takes what the encoder makes.
    var wantsEncodedPictures: Bool {
        if case .encoded = video { return true }
        return false
    }

    /// The longest time that it wants between keyframes.
    var keyframeInterval: MediaTime? {
        guard case .encoded(_, let seconds?, _) = video else { return nil }
        return .seconds(max(0.1, seconds))
    }
}
