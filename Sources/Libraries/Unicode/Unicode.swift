// Unicode
