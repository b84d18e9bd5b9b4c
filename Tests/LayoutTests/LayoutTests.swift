// LayoutTests
