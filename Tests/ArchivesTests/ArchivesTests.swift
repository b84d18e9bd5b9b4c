// ArchivesTests
