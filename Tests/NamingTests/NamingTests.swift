// NamingTests
