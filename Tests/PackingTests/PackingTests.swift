// PackingTests
