// LanesTests
