"""The scenarios of this program, a module for each subject."""
