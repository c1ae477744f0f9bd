"""Mixed models: raters and items as crossed samples."""
