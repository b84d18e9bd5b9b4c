// Storing
