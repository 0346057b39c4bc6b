"""A small CRM on SQLite."""
