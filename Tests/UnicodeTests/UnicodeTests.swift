// UnicodeTests
