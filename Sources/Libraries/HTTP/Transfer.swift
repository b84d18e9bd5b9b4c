import CCurl
import CShims
import Glibc

/// One transfer while libcurl has it: what its callbacks have seen so far. Used on the engine's thread only.
final class Transfer {
    /// Pieces of this size go to the writers: large enough to make a hand-over cheap, small enough for 64 at once.
    static let pieceSize = 256 * 1024

    enum Verdict {
        /// The receiver has all it wanted; the rest is left.
        case cut
        case failed(HTTPError)
    }

    let order: Order
    let handle: EasyHandle
    let started: SuspendingClock.Instant
    /// Since when too little has come; does not run while connecting or paused.
    var progress: Progress
    /// Paused until the rate limit lets it go on.
    var isThrottled = false
    private(set) var head: HTTPHead?
    private(set) var received: Int64 = 0
    private(set) var peer: IPAddress?
    private(set) var flow: BodyFlow?
    /// Set when a callback ended the transfer itself.
    private(set) var verdict: Verdict?
    private(set) var isConnected = false
    /// The last address that the request does not permit.
    private var refused: IPAddress?
    private var hasTriedAddress = false
    private var reader = HeadReader()
    /// Nil where no chunks come.
    private var chunks: ChunkReader?
    /// Bytes of an FTP server's replies.
    private var said = 0
    private var plan = BodyPlan.discard(reading: 0)
    /// When the head was whole.
    private var begun = SuspendingClock.now
    /// A connection that can be used again is not worth a longer wait for a body that nobody wants.
    private static let drainTime = Duration.seconds(1)
    private var body: [UInt8] = []
    /// When the last piece went to the sink.
    private var handedOver: SuspendingClock.Instant
    /// A slow body is written this often, so that little is lost when the program is killed.
    private static let patience = Duration.milliseconds(500)
    private let makeFlow: (any BodySink) -> BodyFlow

    init(
        _ order: Order, handle: EasyHandle, now: SuspendingClock.Instant,
        makeFlow: @escaping (any BodySink) -> BodyFlow
    ) {
        self.order = order
        self.handle = handle
        started = now
        progress = Progress(floor: order.request.idleFloor)
        handedOver = now
        self.makeFlow = makeFlow
    }

    /// The body that was collected, or is yet to be handed to the sink.
    func takeBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// The address is why there is no connection: none other was tried.
    var refusedAddress: IPAddress? { hasTriedAddress ? nil : refused }

    // MARK: Events of libcurl

    /// - Returns: false when no connection may be made to the address.
    func mayOpen(_ address: IPAddress?) -> Bool {
        guard order.request.proxy == nil else { return true }
        guard let address, order.request.permitted.contains(address.addressClass) else {
            refused = address
            return false
        }
        hasTriedAddress = true
        return true
    }

    /// The connection stands, new or reused, and the request is about to be sent.
    func mayRequest(_ address: IPAddress?) -> Bool {
        peer = address
        isConnected = true
        progress.begin(.now)
        guard order.request.proxy == nil else { return true }
        guard let address, order.request.permitted.contains(address.addressClass) else {
            refused = address
            hasTriedAddress = false
            return false
        }
        return true
    }

    /// - Returns: false to end the transfer.
    func headLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        progress.receive(line.count, .now)
        // What FTP servers say is for libcurl; only its sum is watched.
        if order.request.isFile {
            said += line.count
            return said <= HeadReader.maxTotal
                || fail(HTTPError(.protocolViolation, "\(order.request.authority) sent more than 256 KiB of replies"))
        }
        do {
            guard case .head(let head) = try reader.line(line) else { return true }
            self.head = head
            chunks = head.isChunked ? ChunkReader() : nil
            return begin(order.receiver.head(head), head)
        } catch {
            return fail(HTTPError(error.kind, "\(order.request.authority) sent \(error.message)"))
        }
    }

    /// Gives the receiver a head that did not come over the network.
    /// - Returns: false to end the transfer.
    func begin(_ head: HTTPHead) -> Bool {
        self.head = head
        return begin(order.receiver.head(head), head)
    }

    private func begin(_ plan: BodyPlan, _ head: HTTPHead) -> Bool {
        self.plan = plan
        begun = .now
        let length = head.contentLength ?? 0
        switch plan {
        case .collect(let limit):
            guard length <= limit else { return fail(tooLarge(length, limit: Int64(limit))) }
            body.reserveCapacity(min(Int(length), Self.pieceSize))
        case .stream(let sink, let limit, let cuts):
            if let limit, length > limit, !cuts { return fail(tooLarge(length, limit: limit)) }
            flow = makeFlow(sink)
            body.reserveCapacity(min(Int(clamping: length), Self.pieceSize))
        case .discard(let reading):
            // The end of an unmeasured body may be far; only a wish to read some is worth the wait.
            guard length <= reading, reading > 0 || head.contentLength == 0 || head.hasNoBody else { return cut() }
        case .refuse(let error): return fail(error)
        }
        return true
    }

    enum Taken { case all, later, none }

    func bodyPiece(_ bytes: UnsafeRawBufferPointer) -> Taken {
        if head == nil, order.request.isFile, !begin(fileHead()) { return .none }
        if let flow, flow.isFull() {
            // The time that our own disk takes is not the server's.
            progress.pause()
            return .later
        }
        let now = SuspendingClock.now
        if let limit = order.request.rateLimit {
            guard limit.wait(now) == nil else {
                progress.pause()
                isThrottled = true
                return .later
            }
            limit.take(bytes.count)
        }
        progress.receive(bytes.count, now)
        guard var chunks else { return take(bytes, now) ? .all : .none }
        do {
            let isTaken = try chunks.read(bytes) { take($0, now) }
            self.chunks = chunks
            return isTaken ? .all : .none
        } catch {
            return fail(HTTPError(error.kind, "\(order.request.authority) sent \(error.message)")) ? .all : .none
        }
    }

    /// Content that has come.
    /// - Returns: false to end the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer, _ now: SuspendingClock.Instant) -> Bool {
        received += Int64(bytes.count)
        switch plan {
        case .collect(let limit):
            guard received <= limit else { return fail(tooLarge(nil, limit: Int64(limit))) }
            body.append(contentsOf: bytes)
        case .stream(_, let limit, let cuts):
            let room = limit.map { Int(clamping: max($0 - received + Int64(bytes.count), 0)) } ?? .max
            if room < bytes.count, !cuts { return fail(tooLarge(nil, limit: limit ?? 0)) }
            append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)), now)
            if room < bytes.count { return cut() }
        case .discard(let reading):
            if received > reading || now - begun > Self.drainTime { return cut() }
        case .refuse: return false
        }
        return true
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ now: SuspendingClock.Instant) {
        if body.isEmpty, flow != nil {
            let length = head?.contentLength ?? 0
            body.reserveCapacity(
                received > Self.pieceSize ? Self.pieceSize + bytes.count : min(Int(clamping: length), Self.pieceSize))
        }
        body.append(contentsOf: bytes)
        guard let flow, body.count >= Self.pieceSize || now - handedOver >= Self.patience else { return }
        handedOver = now
        flow.send(takeBody())
    }

    private func cut() -> Bool {
        verdict = .cut
        return false
    }

    private func fail(_ error: HTTPError) -> Bool {
        verdict = .failed(error)
        return false
    }

    private func tooLarge(_ length: Int64?, limit: Int64) -> HTTPError {
        let size = length.map { "\($0) bytes" } ?? "more than that"
        return HTTPError(.tooLarge, "\(order.request.authority) sends \(size), the bound is \(limit) bytes")
    }
}

extension HTTPHead {
    fileprivate var hasNoBody: Bool { status == 204 || status == 304 }
}

// MARK: Callbacks: free functions, since a closure may be isolated to where it was written

func headArrived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let length = size &* count
    let isFine = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        transfer.headLine(UnsafeBufferPointer(start: $0, count: length))
    }
    // Any other number than the length ends the transfer.
    return isFine ? length : length &+ 1
}

func bodyArrived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let length = size &* count
    switch transfer.bodyPiece(UnsafeRawBufferPointer(start: bytes, count: length)) {
    case .all: return length
    case .later: return Int(CURL_WRITEFUNC_PAUSE)
    case .none: return length &+ 1
    }
}

func socketWanted(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    // The address is longer than the C declaration says, so it is reached by its offset.
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 16
    let target = IPAddress(UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
    guard transfer.mayOpen(target) else { return -1 }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, kind, address.pointee.protocol)
}

func requestDue(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context, let remote else { return Int32(CURL_PREREQFUNC_ABORT) }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let isFine = transfer.mayRequest(IPAddress(String(cString: remote)))
    return Int32(isFine ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
}
