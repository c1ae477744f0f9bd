"""The bundled campaign from plan to conclusion: what was planted, and what was found."""
