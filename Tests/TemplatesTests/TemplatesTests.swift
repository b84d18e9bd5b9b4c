// TemplatesTests
