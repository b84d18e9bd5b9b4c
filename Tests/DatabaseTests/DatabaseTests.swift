// DatabaseTests
