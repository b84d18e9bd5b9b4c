// TimesTests
