"""Which raters can be trusted."""
