"""Layer report: results to text, tables and pages."""
