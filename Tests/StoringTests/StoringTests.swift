// StoringTests
