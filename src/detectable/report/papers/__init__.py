"""Tables that papers print, offered by results and shown by LaTeX alone."""
