// Packing
