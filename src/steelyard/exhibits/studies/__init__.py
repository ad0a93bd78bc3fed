"""Studies as tables, figures and sentences: each module turns what one study found into a StudyResult."""
