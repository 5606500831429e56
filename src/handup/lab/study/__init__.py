"""Named studies: cells to run, rows to keep, figures, and the paper's claims one by one."""
