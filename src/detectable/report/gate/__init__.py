"""A gate in the forms that pipelines read: Markdown, JUnit, annotations."""
