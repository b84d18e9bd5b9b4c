// URLsTests
