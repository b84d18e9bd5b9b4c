// Magic
