"""The server of ``detectable serve``: parse, call the library, show. No statistics here."""
