// Naming
