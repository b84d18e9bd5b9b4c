// CrawlingTests
