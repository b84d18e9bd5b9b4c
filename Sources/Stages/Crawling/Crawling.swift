// Crawling
