"""Which of the findings of a check are reported, and which sessions are judged. Changes no verdict."""
