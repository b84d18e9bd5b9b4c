// ManifestsTests
