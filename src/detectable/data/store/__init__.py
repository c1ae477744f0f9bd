"""Where campaigns are kept while people judge: SQLite, or PostgreSQL."""
