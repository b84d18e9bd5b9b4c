// YAMLTests
