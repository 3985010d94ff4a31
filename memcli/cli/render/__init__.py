"""What people see: text made safe for a terminal, the screen, progress bars, and how facts, times and explanations look."""
