/// Memory that content passes through, the same for every file of a bundle. For one thread at a time.
final class Chunk {
    let memory: UnsafeMutableRawBufferPointer

    /// Where a page begins, since some processors copy a file's content to elsewhere at a quarter of the speed.
    init(bytes: Int = 256 * 1024) { memory = .allocate(byteCount: bytes, alignment: 4096) }

    deinit { memory.deallocate() }

    func prefix(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
}
