// HTMLTests
