// FetchingTests
