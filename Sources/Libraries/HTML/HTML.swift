// HTML
