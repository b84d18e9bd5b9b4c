// MagicTests
