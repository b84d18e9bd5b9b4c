import Glibc

/// A counting semaphore for threads of our own; never to be waited for on the cooperative pool.
///
/// `@unchecked Sendable` is safe: `sem_t` is made to be shared between threads, the pointer never changes, and it is
/// freed when the last reference goes.
package final class Semaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    package func post() { sem_post(semaphore) }

    package func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}
