/// Bytes that look random and are the same in every run, on every machine (SplitMix64).
package struct SeededBytes: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x2545_F491_4F6C_DD1D }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// What every tool takes for a PDF file, of that many bytes (at least 9) and otherwise as the seed has it; its
    /// name needs no guess.
    package static func pdf(_ count: Int, seed: Int) -> [UInt8] {
        Array("%PDF-1.4\n".utf8) + bytes(max(count - 9, 0), seed: seed)
    }

    /// The content that a seed stands for.
    package static func bytes(_ count: Int, seed: Int) -> [UInt8] {
        var generator = SeededBytes(seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next().littleEndian) { bytes += $0 }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
